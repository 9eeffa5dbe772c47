ALTER TABLE authorization_requests DROP COLUMN ui_locales;
ALTER TABLE projects DROP COLUMN policy_uri;
ALTER TABLE projects DROP COLUMN tos_uri;
ALTER TABLE projects DROP COLUMN background_color;
ALTER TABLE projects DROP COLUMN accent_color;
