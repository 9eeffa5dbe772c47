ALTER TABLE teams DROP COLUMN contents_revision;
