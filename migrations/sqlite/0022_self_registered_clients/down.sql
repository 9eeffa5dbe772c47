-- Earlier versions would trust them.
UPDATE project_clients SET deleted_at = created_at, secret_digest = NULL, secret_hint = NULL, previous_digest = NULL,
    previous_expires_at = NULL, revision = revision + 1
WHERE registered_itself AND deleted_at IS NULL;
ALTER TABLE project_clients DROP COLUMN registered_itself;
