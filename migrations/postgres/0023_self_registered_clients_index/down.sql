DROP INDEX CONCURRENTLY IF EXISTS project_clients_self_registered;
