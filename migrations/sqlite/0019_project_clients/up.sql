-- Clients that act on their own behalf are actors too. The service decides which kinds there are. SQLite cannot drop a CHECK
-- constraint; this is its documented way for changes that leave the rows as they are
-- (https://www.sqlite.org/lang_altertable.html#otheralter).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (actor_kind IN (''account'', ''key'', ''system''))', '')
WHERE type = 'table' AND name IN ('audit_events', 'item_changes');
PRAGMA writable_schema = RESET;

-- OAuth clients that projects registered, besides the projects themselves.
CREATE TABLE project_clients (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects,
    name TEXT NOT NULL,
    -- Separated by spaces.
    grant_types TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    -- Of a client that acts on its own behalf.
    roles TEXT,
    require_pkce INTEGER NOT NULL,
    skip_consent INTEGER NOT NULL,
    access_token_seconds INTEGER,
    sign_in_seconds INTEGER,
    -- Null for a public client.
    secret_digest TEXT,
    secret_hint TEXT,
    secret_last_used TEXT,
    previous_digest TEXT,
    previous_expires_at TEXT,
    previous_last_used TEXT,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    -- Deleted after the tokens that were issued to it.
    deleted_at TEXT,
    -- For the clients of a project.
    CONSTRAINT project_clients_project UNIQUE (project_id, id),
    -- For those that are deleted.
    CONSTRAINT project_clients_deleted UNIQUE (deleted_at, id)
) STRICT;

-- The scopes that are granted to each client of the project, as a JSON object.
ALTER TABLE grants ADD COLUMN client_scopes TEXT NOT NULL DEFAULT '{}';

-- The client that a project registered. Not a reference, because the families of a deleted client are deleted in parts.
ALTER TABLE token_families ADD COLUMN project_client_id TEXT;

-- When the tokens are no longer renewed; null if only the service limits that.
ALTER TABLE token_families ADD COLUMN ends_at TEXT;

-- How the client receives the response: query, fragment or form_post.
ALTER TABLE authorization_requests ADD COLUMN response_mode TEXT NOT NULL DEFAULT 'query';
