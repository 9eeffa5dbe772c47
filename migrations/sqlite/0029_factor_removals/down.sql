ALTER TABLE accounts DROP COLUMN factors_removal_at;
