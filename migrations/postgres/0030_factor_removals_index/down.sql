DROP INDEX CONCURRENTLY IF EXISTS accounts_factor_removals;
