DELETE FROM sessions WHERE project_id IS NOT NULL;
ALTER TABLE sessions DROP COLUMN project_id;
DROP TABLE linked_identities;
DROP TABLE identity_providers;
