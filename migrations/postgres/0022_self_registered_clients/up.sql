-- Whether the client registered itself without a token (RFC 7591). Such a client is deleted if nobody signs in at it.
ALTER TABLE project_clients ADD COLUMN registered_itself boolean NOT NULL DEFAULT false;
