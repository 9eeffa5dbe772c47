CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS api_keys_earlier_digest ON api_keys (earlier_digest);
