-- The value before the previous one while it is still valid, and the last use of values that no longer are.
ALTER TABLE api_keys ADD COLUMN earlier_pepper bigint;
ALTER TABLE api_keys ADD COLUMN earlier_digest text;
ALTER TABLE api_keys ADD COLUMN earlier_expires_at timestamptz;
ALTER TABLE api_keys ADD COLUMN earlier_last_used timestamptz;
ALTER TABLE api_keys ADD COLUMN used_before timestamptz;
ALTER TABLE project_clients ADD COLUMN earlier_digest text;
ALTER TABLE project_clients ADD COLUMN earlier_expires_at timestamptz;
ALTER TABLE project_clients ADD COLUMN earlier_last_used timestamptz;
ALTER TABLE project_clients ADD COLUMN used_before timestamptz;
-- The signing secret before the previous one while messages are still signed with it.
ALTER TABLE webhooks ADD COLUMN earlier_secret bytea;
ALTER TABLE webhooks ADD COLUMN earlier_expires_at timestamptz;
