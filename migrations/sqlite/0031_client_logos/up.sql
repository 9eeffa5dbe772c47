-- The uploaded logo of a client, as the images of projects are stored.
ALTER TABLE project_clients ADD COLUMN logo TEXT;
