-- A webhook can have millions of attempts, which would be deleted in one statement with it. They end by their age instead, and
-- nobody reads them without their webhook.
ALTER TABLE deliveries DROP CONSTRAINT IF EXISTS deliveries_webhook_id_fkey;
