ALTER TABLE token_families DROP COLUMN lost_at;
ALTER TABLE refresh_tokens DROP COLUMN is_lost;
ALTER TABLE refresh_tokens DROP COLUMN next_id;
ALTER TABLE refresh_tokens DROP COLUMN used_at;
