DROP INDEX api_keys_previous_digest;
ALTER TABLE api_keys DROP COLUMN previous_expires_at;
ALTER TABLE api_keys DROP COLUMN previous_last_used;
ALTER TABLE api_keys DROP COLUMN previous_digest;
ALTER TABLE api_keys DROP COLUMN previous_pepper;
DROP INDEX api_keys_regenerated_by;
ALTER TABLE api_keys DROP COLUMN regenerated_by;
ALTER TABLE api_keys DROP COLUMN last_used;
