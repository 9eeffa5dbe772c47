DROP INDEX webhooks_authorized_by;
ALTER TABLE webhooks DROP COLUMN authorized_by;
