-- Earlier versions do not ask for the secret of a client.
DELETE FROM authorization_codes WHERE client_id IN (SELECT id::text FROM project_clients);
DELETE FROM token_families WHERE project_client_id IS NOT NULL;
ALTER TABLE authorization_requests DROP COLUMN response_mode;
ALTER TABLE token_families DROP COLUMN ends_at;
ALTER TABLE token_families DROP COLUMN project_client_id;
ALTER TABLE grants DROP COLUMN client_scopes;
DROP TABLE project_clients;
