ALTER TABLE project_users DROP COLUMN deletion_started_at;
