ALTER TABLE accounts ADD COLUMN password_set_at TEXT NOT NULL DEFAULT '1970-01-01T00:00:00.000000Z';
UPDATE accounts SET password_set_at = created_at;

-- The defaults are for the version before, which may still write while this one starts.
ALTER TABLE projects ADD COLUMN redirect_uris TEXT NOT NULL DEFAULT '[]';
ALTER TABLE projects ADD COLUMN require_pkce INTEGER NOT NULL DEFAULT 1;

-- A request that waits for a person to sign in. Without a project it is of this service's own client.
CREATE TABLE authorization_requests (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL,
    project_id TEXT REFERENCES projects ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    scopes TEXT NOT NULL,
    state TEXT NOT NULL,
    nonce TEXT,
    challenge TEXT,
    prompt TEXT NOT NULL,
    login_hint TEXT,
    max_age INTEGER,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX authorization_requests_project ON authorization_requests (project_id);
CREATE INDEX authorization_requests_expiry ON authorization_requests (expires_at);

-- What a person allowed a project. With it go its codes and tokens.
CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    UNIQUE (account_id, project_id)
) STRICT;
CREATE INDEX grants_project ON grants (project_id);

CREATE TABLE authorization_codes (
    family_id TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    project_id TEXT,
    redirect_uri TEXT NOT NULL,
    scopes TEXT NOT NULL,
    nonce TEXT,
    challenge TEXT,
    authenticated_at TEXT NOT NULL,
    password_set_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    redeemed_at TEXT,
    revision INTEGER NOT NULL,
    FOREIGN KEY (account_id, project_id) REFERENCES grants (account_id, project_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX authorization_codes_grant ON authorization_codes (account_id, project_id);
CREATE INDEX authorization_codes_expiry ON authorization_codes (expires_at);

-- All tokens that follow from one sign-in.
CREATE TABLE token_families (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    project_id TEXT,
    scopes TEXT NOT NULL,
    authenticated_at TEXT NOT NULL,
    password_set_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revoked_at TEXT,
    revision INTEGER NOT NULL,
    FOREIGN KEY (account_id, project_id) REFERENCES grants (account_id, project_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX token_families_grant ON token_families (account_id, project_id);
CREATE INDEX token_families_age ON token_families (created_at);

CREATE TABLE refresh_tokens (
    id TEXT PRIMARY KEY,
    family_id TEXT NOT NULL REFERENCES token_families ON DELETE CASCADE,
    digest TEXT NOT NULL UNIQUE,
    issued_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    replaced_at TEXT,
    answer BLOB,
    revision INTEGER NOT NULL,
    CHECK (answer IS NULL OR replaced_at IS NOT NULL)
) STRICT;
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);
CREATE INDEX refresh_tokens_answers ON refresh_tokens (replaced_at) WHERE answer IS NOT NULL;

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    authenticated_at TEXT NOT NULL,
    password_set_at TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    address TEXT,
    expires_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_account ON sessions (account_id, authenticated_at DESC, id DESC);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- No account: there is a link also for an address that nobody has.
CREATE TABLE email_links (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    purpose TEXT NOT NULL CHECK (purpose IN ('verify_email', 'reset_password')),
    email TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX email_links_expiry ON email_links (expires_at);
