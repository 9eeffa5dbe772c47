ALTER TABLE api_keys ADD COLUMN last_used timestamptz;
ALTER TABLE api_keys ADD COLUMN regenerated_by uuid REFERENCES accounts;
CREATE INDEX api_keys_regenerated_by ON api_keys (regenerated_by);

-- The value before the present one, as long as it still works.
ALTER TABLE api_keys ADD COLUMN previous_pepper bigint;
ALTER TABLE api_keys ADD COLUMN previous_digest text;
ALTER TABLE api_keys ADD COLUMN previous_last_used timestamptz;
ALTER TABLE api_keys ADD COLUMN previous_expires_at timestamptz
    CHECK ((previous_digest IS NULL) = (previous_pepper IS NULL) AND (previous_digest IS NULL) = (previous_expires_at IS NULL));
CREATE UNIQUE INDEX api_keys_previous_digest ON api_keys (previous_digest);
