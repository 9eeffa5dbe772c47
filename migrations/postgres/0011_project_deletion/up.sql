-- A deleted project is there for nobody. Its row stays until what belonged to it has gone, some rows at a time.
ALTER TABLE projects ADD COLUMN deleted_at timestamptz;
CREATE INDEX projects_deleted ON projects (deleted_at) WHERE deleted_at IS NOT NULL;
