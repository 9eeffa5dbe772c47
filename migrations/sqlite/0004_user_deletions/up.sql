-- When the deletion of the user started. NULL: it has not.
ALTER TABLE project_users ADD COLUMN deletion_started_at TEXT;
