-- Requests of devices, which wait until a person enters the user code elsewhere.
CREATE TABLE device_authorizations (
    id uuid PRIMARY KEY,
    -- Of the device code.
    digest text NOT NULL CONSTRAINT device_authorizations_digest UNIQUE,
    user_code text NOT NULL CONSTRAINT device_authorizations_user_code UNIQUE,
    client_id text NOT NULL,
    project_id uuid REFERENCES projects ON DELETE CASCADE,
    scopes text NOT NULL,
    max_age bigint,
    requested_from text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    denied_at timestamptz,
    revision bigint NOT NULL,
    -- For the deletion of a project.
    CONSTRAINT device_authorizations_project UNIQUE (project_id, id),
    -- For those that have expired.
    CONSTRAINT device_authorizations_expiry UNIQUE (expires_at, id)
);

-- The device that waits for the response. The redirect URI is empty then. Not a reference, because several people can enter
-- the code of a device, and the first one decides.
ALTER TABLE authorization_requests ADD COLUMN device_id uuid;
