CREATE INDEX CONCURRENTLY IF NOT EXISTS project_clients_self_registered ON project_clients (created_at) WHERE registered_itself;
