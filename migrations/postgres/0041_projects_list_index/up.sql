CREATE INDEX CONCURRENTLY IF NOT EXISTS projects_list ON projects (team_id, deleted_at, created_at DESC, id DESC);
