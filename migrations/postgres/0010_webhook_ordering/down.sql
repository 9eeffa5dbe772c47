ALTER TABLE webhooks DROP COLUMN ordering;
