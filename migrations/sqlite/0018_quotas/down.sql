DROP TABLE project_usage;
ALTER TABLE items DROP COLUMN bytes;
ALTER TABLE items DROP COLUMN bytes_before;
