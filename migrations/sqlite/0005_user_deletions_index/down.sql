DROP INDEX project_users_deletions;
