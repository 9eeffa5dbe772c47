-- Services at which people sign in, of a project or, without one, of the whole service.
CREATE TABLE identity_providers (
    id TEXT PRIMARY KEY,
    project_id TEXT REFERENCES projects,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    issuer TEXT NOT NULL,
    client_id TEXT NOT NULL,
    -- Encrypted for this provider.
    client_secret BLOB,
    -- The domains whose addresses have to sign in there, as a JSON array.
    email_domains TEXT NOT NULL,
    is_enabled INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    -- Deleted after the identities that are linked to it.
    deleted_at TEXT,
    -- For the providers of a project.
    CONSTRAINT identity_providers_project UNIQUE (project_id, id),
    -- For those that are deleted.
    CONSTRAINT identity_providers_deleted UNIQUE (deleted_at, id)
) STRICT;

-- The identities of people at providers, with which they sign in to an account.
CREATE TABLE linked_identities (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    provider_id TEXT NOT NULL REFERENCES identity_providers,
    subject TEXT NOT NULL,
    email TEXT,
    created_at TEXT NOT NULL,
    last_used TEXT NOT NULL,
    revision INTEGER NOT NULL,
    CONSTRAINT linked_identities_subject UNIQUE (provider_id, subject),
    -- Also for the identities of an account.
    CONSTRAINT linked_identities_account UNIQUE (account_id, provider_id)
) STRICT;

-- The only project for which a session counts; null if it counts everywhere. Not a reference, because sessions expire.
ALTER TABLE sessions ADD COLUMN project_id TEXT;
