CREATE INDEX CONCURRENTLY IF NOT EXISTS project_users_of_account ON project_users (account_id, project_id);
