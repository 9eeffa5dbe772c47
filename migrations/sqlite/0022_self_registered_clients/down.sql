ALTER TABLE project_clients DROP COLUMN registered_itself;
