DROP INDEX accounts_factor_removals;
