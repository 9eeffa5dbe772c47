DROP INDEX CONCURRENTLY IF EXISTS project_users_of_account;
