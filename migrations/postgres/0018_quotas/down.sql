DROP TABLE project_usage;
ALTER TABLE items DROP COLUMN bytes, DROP COLUMN bytes_before;
