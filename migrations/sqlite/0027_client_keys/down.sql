-- Earlier versions would accept these without a proof.
DELETE FROM refresh_tokens WHERE dpop_jkt IS NOT NULL;
DELETE FROM authorization_codes WHERE dpop_jkt IS NOT NULL;
DELETE FROM authorization_requests WHERE dpop_jkt IS NOT NULL;
ALTER TABLE refresh_tokens DROP COLUMN dpop_jkt;
ALTER TABLE authorization_codes DROP COLUMN dpop_jkt;
ALTER TABLE authorization_requests DROP COLUMN dpop_jkt;

-- Nothing is left with which these clients could authenticate.
UPDATE project_clients SET deleted_at = created_at, secret_digest = NULL, secret_hint = NULL, previous_digest = NULL,
    previous_expires_at = NULL, revision = revision + 1
WHERE jwks IS NOT NULL AND deleted_at IS NULL;
ALTER TABLE project_clients DROP COLUMN require_pushed_requests;
ALTER TABLE project_clients DROP COLUMN require_dpop;
ALTER TABLE project_clients DROP COLUMN jwks;
