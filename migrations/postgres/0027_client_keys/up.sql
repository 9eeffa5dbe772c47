-- The public keys of a client that has no secret, as a JSON Web Key Set. Its `secret_digest` is that of no secret, so that
-- earlier versions refuse it.
ALTER TABLE project_clients ADD COLUMN jwks json;
ALTER TABLE project_clients ADD COLUMN require_dpop boolean NOT NULL DEFAULT false;
ALTER TABLE project_clients ADD COLUMN require_pushed_requests boolean NOT NULL DEFAULT false;

-- Thumbprints of the keys to which codes and refresh tokens are bound (RFC 9449).
ALTER TABLE authorization_requests ADD COLUMN dpop_jkt text;
ALTER TABLE authorization_codes ADD COLUMN dpop_jkt text;
ALTER TABLE refresh_tokens ADD COLUMN dpop_jkt text;
