DELETE FROM projects WHERE deleted_at IS NOT NULL;
DROP INDEX projects_deleted;
ALTER TABLE projects DROP COLUMN deleted_at;
