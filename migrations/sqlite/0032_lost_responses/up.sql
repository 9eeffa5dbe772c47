-- When one of the tokens that were issued with a refresh token was first used, other than to get the next ones.
ALTER TABLE refresh_tokens ADD COLUMN used_at TEXT;
-- The refresh token that was issued in exchange, until another one was issued in its place. Null for tokens that earlier
-- versions exchanged.
ALTER TABLE refresh_tokens ADD COLUMN next_id TEXT;
-- Whether another token was issued in place of this one, because the response with it was lost. Such a token has
-- `replaced_at`, so that earlier versions refuse it, too.
ALTER TABLE refresh_tokens ADD COLUMN is_lost INTEGER NOT NULL DEFAULT 0;
-- When the newest of the lost tokens was issued.
ALTER TABLE token_families ADD COLUMN lost_at TEXT;
