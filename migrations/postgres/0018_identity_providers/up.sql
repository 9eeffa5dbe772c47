-- Services at which people sign in, of a project or, without one, of the whole service.
CREATE TABLE identity_providers (
    id uuid PRIMARY KEY,
    project_id uuid REFERENCES projects,
    kind text NOT NULL,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    -- Encrypted for this provider.
    client_secret bytea,
    -- The domains whose addresses have to sign in there, as a JSON array.
    email_domains text NOT NULL,
    is_enabled boolean NOT NULL,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    -- Deleted after the identities that are linked to it.
    deleted_at timestamptz,
    -- For the providers of a project.
    CONSTRAINT identity_providers_project UNIQUE (project_id, id),
    -- For those that are deleted.
    CONSTRAINT identity_providers_deleted UNIQUE (deleted_at, id)
);

-- The identities of people at providers, with which they sign in to an account.
CREATE TABLE linked_identities (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    provider_id uuid NOT NULL REFERENCES identity_providers,
    subject text NOT NULL,
    email text,
    created_at timestamptz NOT NULL,
    last_used timestamptz NOT NULL,
    revision bigint NOT NULL,
    CONSTRAINT linked_identities_subject UNIQUE (provider_id, subject),
    -- Also for the identities of an account.
    CONSTRAINT linked_identities_account UNIQUE (account_id, provider_id)
);

-- The only project for which a session counts; null if it counts everywhere. Not a reference, because sessions expire.
ALTER TABLE sessions ADD COLUMN project_id uuid;
