-- Empty: whoever made the webhook. So that versions that do not know the column go on inserting.
ALTER TABLE webhooks ADD COLUMN authorized_by uuid REFERENCES accounts;
CREATE INDEX webhooks_authorized_by ON webhooks (authorized_by);
