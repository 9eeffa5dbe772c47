ALTER TABLE projects DROP COLUMN background;
ALTER TABLE projects DROP COLUMN icon;
