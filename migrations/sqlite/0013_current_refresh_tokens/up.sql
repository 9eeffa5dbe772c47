CREATE INDEX refresh_tokens_current ON refresh_tokens (family_id) WHERE replaced_at IS NULL;
