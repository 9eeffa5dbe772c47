-- Clients that act on their own behalf are actors too. The service decides which kinds there are.
ALTER TABLE audit_events DROP CONSTRAINT IF EXISTS audit_events_actor_kind_check;

-- OAuth clients that projects registered, besides the projects themselves.
CREATE TABLE project_clients (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects,
    name text NOT NULL,
    -- Separated by spaces.
    grant_types text NOT NULL,
    redirect_uris json NOT NULL,
    scopes text NOT NULL,
    -- Of a client that acts on its own behalf.
    roles text,
    require_pkce boolean NOT NULL,
    skip_consent boolean NOT NULL,
    access_token_seconds bigint,
    sign_in_seconds bigint,
    -- Null for a public client.
    secret_digest text,
    secret_hint text,
    secret_last_used timestamptz,
    previous_digest text,
    previous_expires_at timestamptz,
    previous_last_used timestamptz,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    -- Deleted after the tokens that were issued to it.
    deleted_at timestamptz,
    -- For the clients of a project.
    CONSTRAINT project_clients_project UNIQUE (project_id, id),
    -- For those that are deleted.
    CONSTRAINT project_clients_deleted UNIQUE (deleted_at, id)
);

-- The scopes that are granted to each client of the project, as a JSON object.
ALTER TABLE grants ADD COLUMN client_scopes text NOT NULL DEFAULT '{}';

-- The client that a project registered. Not a reference, because the families of a deleted client are deleted in parts.
ALTER TABLE token_families ADD COLUMN project_client_id uuid;

-- When the tokens are no longer renewed; null if only the service limits that.
ALTER TABLE token_families ADD COLUMN ends_at timestamptz;

-- How the client receives the response: query, fragment or form_post.
ALTER TABLE authorization_requests ADD COLUMN response_mode text NOT NULL DEFAULT 'query';
