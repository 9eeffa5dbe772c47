ALTER TABLE projects DROP COLUMN second_factor_from;
ALTER TABLE teams DROP COLUMN second_factor_from;
