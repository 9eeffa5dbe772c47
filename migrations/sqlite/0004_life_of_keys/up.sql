ALTER TABLE api_keys ADD COLUMN last_used TEXT;
ALTER TABLE api_keys ADD COLUMN regenerated_by TEXT REFERENCES accounts;
CREATE INDEX api_keys_regenerated_by ON api_keys (regenerated_by);

-- The value before the present one, as long as it still works.
ALTER TABLE api_keys ADD COLUMN previous_pepper INTEGER;
ALTER TABLE api_keys ADD COLUMN previous_digest TEXT;
ALTER TABLE api_keys ADD COLUMN previous_last_used TEXT;
ALTER TABLE api_keys ADD COLUMN previous_expires_at TEXT
    CHECK ((previous_digest IS NULL) = (previous_pepper IS NULL) AND (previous_digest IS NULL) = (previous_expires_at IS NULL));
CREATE UNIQUE INDEX api_keys_previous_digest ON api_keys (previous_digest);
