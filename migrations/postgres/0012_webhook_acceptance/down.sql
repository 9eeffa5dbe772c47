ALTER TABLE webhooks DROP COLUMN accepts_others;
