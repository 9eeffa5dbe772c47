ALTER TABLE audit_progress DROP COLUMN delivered;
DROP TABLE position_domains;
