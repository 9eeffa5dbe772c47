CREATE INDEX CONCURRENTLY IF NOT EXISTS project_users_deletions ON project_users (id) WHERE deletion_started_at IS NOT NULL;
