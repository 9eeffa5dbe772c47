CREATE INDEX refresh_tokens_answered ON refresh_tokens (family_id) WHERE answer IS NOT NULL;
