DROP INDEX CONCURRENTLY IF EXISTS refresh_tokens_answered;
