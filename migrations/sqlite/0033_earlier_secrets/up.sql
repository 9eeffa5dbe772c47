-- The value before the previous one while it is still valid, and the last use of values that no longer are.
ALTER TABLE api_keys ADD COLUMN earlier_pepper INTEGER;
ALTER TABLE api_keys ADD COLUMN earlier_digest TEXT;
ALTER TABLE api_keys ADD COLUMN earlier_expires_at TEXT;
ALTER TABLE api_keys ADD COLUMN earlier_last_used TEXT;
ALTER TABLE api_keys ADD COLUMN used_before TEXT;
ALTER TABLE project_clients ADD COLUMN earlier_digest TEXT;
ALTER TABLE project_clients ADD COLUMN earlier_expires_at TEXT;
ALTER TABLE project_clients ADD COLUMN earlier_last_used TEXT;
ALTER TABLE project_clients ADD COLUMN used_before TEXT;
-- The signing secret before the previous one while messages are still signed with it.
ALTER TABLE webhooks ADD COLUMN earlier_secret BLOB;
ALTER TABLE webhooks ADD COLUMN earlier_expires_at TEXT;
