-- How the pages look on which people sign in to the project, and the documents to which they link.
ALTER TABLE projects ADD COLUMN accent_color TEXT;
ALTER TABLE projects ADD COLUMN background_color TEXT;
ALTER TABLE projects ADD COLUMN tos_uri TEXT;
ALTER TABLE projects ADD COLUMN policy_uri TEXT;
-- The languages that a client requests for the pages.
ALTER TABLE authorization_requests ADD COLUMN ui_locales TEXT;
