ALTER TABLE project_clients DROP COLUMN logo;
