ALTER TABLE audit_progress DROP COLUMN shown;
DROP TABLE position_domains;
