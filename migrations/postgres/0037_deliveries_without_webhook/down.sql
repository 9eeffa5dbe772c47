ALTER TABLE deliveries ADD CONSTRAINT deliveries_webhook_id_fkey
    FOREIGN KEY (webhook_id) REFERENCES webhooks ON DELETE CASCADE NOT VALID;
