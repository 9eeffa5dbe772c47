DROP INDEX CONCURRENTLY IF EXISTS project_users_deletions;
