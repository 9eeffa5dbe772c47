-- The public keys of a client that has no secret, as a JSON Web Key Set. Its `secret_digest` is that of no secret, so that
-- earlier versions refuse it.
ALTER TABLE project_clients ADD COLUMN jwks TEXT;
ALTER TABLE project_clients ADD COLUMN require_dpop INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project_clients ADD COLUMN require_pushed_requests INTEGER NOT NULL DEFAULT 0;

-- Thumbprints of the keys to which codes and refresh tokens are bound (RFC 9449).
ALTER TABLE authorization_requests ADD COLUMN dpop_jkt TEXT;
ALTER TABLE authorization_codes ADD COLUMN dpop_jkt TEXT;
ALTER TABLE refresh_tokens ADD COLUMN dpop_jkt TEXT;
