-- Requests of devices, which wait until a person enters the user code elsewhere.
CREATE TABLE device_authorizations (
    id TEXT PRIMARY KEY,
    -- Of the device code.
    digest TEXT NOT NULL UNIQUE,
    user_code TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL,
    project_id TEXT REFERENCES projects ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    max_age INTEGER,
    requested_from TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    denied_at TEXT,
    revision INTEGER NOT NULL,
    -- For the deletion of a project.
    CONSTRAINT device_authorizations_project UNIQUE (project_id, id),
    -- For those that have expired.
    CONSTRAINT device_authorizations_expiry UNIQUE (expires_at, id)
) STRICT;

-- The device that waits for the response. The redirect URI is empty then. Not a reference, because several people can enter
-- the code of a device, and the first one decides.
ALTER TABLE authorization_requests ADD COLUMN device_id TEXT;
