DROP INDEX CONCURRENTLY IF EXISTS api_keys_earlier_digest;
