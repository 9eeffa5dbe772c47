CREATE INDEX CONCURRENTLY IF NOT EXISTS accounts_factor_removals ON accounts (factors_removal_at) WHERE factors_removal_at IS NOT NULL;
