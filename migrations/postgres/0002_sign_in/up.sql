ALTER TABLE accounts ADD COLUMN password_set_at timestamptz NOT NULL DEFAULT '1970-01-01T00:00:00Z';
UPDATE accounts SET password_set_at = created_at;

-- The defaults are for the version before, which may still write while this one starts.
ALTER TABLE projects ADD COLUMN redirect_uris json NOT NULL DEFAULT '[]';
ALTER TABLE projects ADD COLUMN require_pkce boolean NOT NULL DEFAULT true;

-- A request that waits for a person to sign in. Without a project it is of this service's own client.
CREATE TABLE authorization_requests (
    id uuid PRIMARY KEY,
    digest text NOT NULL CONSTRAINT authorization_requests_digest UNIQUE,
    client_id text NOT NULL,
    project_id uuid REFERENCES projects ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    scopes text NOT NULL,
    state text NOT NULL,
    nonce text,
    challenge text,
    prompt text NOT NULL,
    login_hint text,
    max_age bigint,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revision bigint NOT NULL
);
CREATE INDEX authorization_requests_project ON authorization_requests (project_id);
CREATE INDEX authorization_requests_expiry ON authorization_requests (expires_at);

-- What a person allowed a project. With it go its codes and tokens.
CREATE TABLE grants (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    scopes text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    CONSTRAINT grants_once UNIQUE (account_id, project_id)
);
CREATE INDEX grants_project ON grants (project_id);

CREATE TABLE authorization_codes (
    family_id uuid PRIMARY KEY,
    digest text NOT NULL CONSTRAINT authorization_codes_digest UNIQUE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id text NOT NULL,
    project_id uuid,
    redirect_uri text NOT NULL,
    scopes text NOT NULL,
    nonce text,
    challenge text,
    authenticated_at timestamptz NOT NULL,
    password_set_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    redeemed_at timestamptz,
    revision bigint NOT NULL,
    FOREIGN KEY (account_id, project_id) REFERENCES grants (account_id, project_id) ON DELETE CASCADE
);
CREATE INDEX authorization_codes_grant ON authorization_codes (account_id, project_id);
CREATE INDEX authorization_codes_expiry ON authorization_codes (expires_at);

-- All tokens that follow from one sign-in.
CREATE TABLE token_families (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id text NOT NULL,
    project_id uuid,
    scopes text NOT NULL,
    authenticated_at timestamptz NOT NULL,
    password_set_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    revision bigint NOT NULL,
    FOREIGN KEY (account_id, project_id) REFERENCES grants (account_id, project_id) ON DELETE CASCADE
);
CREATE INDEX token_families_grant ON token_families (account_id, project_id);
CREATE INDEX token_families_age ON token_families (created_at);

CREATE TABLE refresh_tokens (
    id uuid PRIMARY KEY,
    family_id uuid NOT NULL REFERENCES token_families ON DELETE CASCADE,
    digest text NOT NULL CONSTRAINT refresh_tokens_digest UNIQUE,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    replaced_at timestamptz,
    answer bytea,
    revision bigint NOT NULL,
    CHECK (answer IS NULL OR replaced_at IS NOT NULL)
);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);
CREATE INDEX refresh_tokens_answers ON refresh_tokens (replaced_at) WHERE answer IS NOT NULL;

CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    digest text NOT NULL CONSTRAINT sessions_digest UNIQUE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    authenticated_at timestamptz NOT NULL,
    password_set_at timestamptz NOT NULL,
    user_agent text NOT NULL,
    address text,
    expires_at timestamptz NOT NULL,
    revision bigint NOT NULL
);
CREATE INDEX sessions_account ON sessions (account_id, authenticated_at DESC, id DESC);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- No account: there is a link also for an address that nobody has.
CREATE TABLE email_links (
    id uuid PRIMARY KEY,
    digest text NOT NULL CONSTRAINT email_links_digest UNIQUE,
    purpose text NOT NULL CHECK (purpose IN ('verify_email', 'reset_password')),
    email text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revision bigint NOT NULL
);
CREATE INDEX email_links_expiry ON email_links (expires_at);
