-- The images that were uploaded for a project: id, format, size and time of each. The bytes are kept elsewhere.
ALTER TABLE projects ADD COLUMN icon json;
ALTER TABLE projects ADD COLUMN background json;
