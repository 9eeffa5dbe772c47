ALTER TABLE identity_providers DROP COLUMN configured_by;
ALTER TABLE identity_providers DROP COLUMN created_by;
ALTER TABLE project_clients DROP COLUMN configured_by;
ALTER TABLE project_clients DROP COLUMN created_by;
