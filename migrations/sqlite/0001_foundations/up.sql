CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    email_verified INTEGER NOT NULL,
    username TEXT,
    username_folded TEXT UNIQUE,
    name TEXT,
    password_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;

CREATE TABLE teams (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    slug TEXT NOT NULL UNIQUE,
    owner_id TEXT NOT NULL REFERENCES accounts,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX teams_owner ON teams (owner_id);

CREATE TABLE members (
    team_id TEXT NOT NULL REFERENCES teams ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts,
    roles TEXT NOT NULL,
    role_name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (team_id, account_id)
) STRICT;
CREATE INDEX members_account ON members (account_id);

CREATE TABLE invites (
    id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL REFERENCES teams ON DELETE CASCADE,
    recipient_kind TEXT NOT NULL CHECK (recipient_kind IN ('email', 'username')),
    recipient TEXT NOT NULL,
    recipient_folded TEXT NOT NULL,
    roles TEXT NOT NULL,
    role_name TEXT NOT NULL,
    invited_by TEXT NOT NULL REFERENCES accounts,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'revoked')),
    decided_by TEXT REFERENCES accounts,
    decided_at TEXT,
    revision INTEGER NOT NULL,
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((state = 'accepted') = (decided_by IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX invites_pending ON invites (team_id, recipient_folded) WHERE state = 'pending';
CREATE INDEX invites_team ON invites (team_id, created_at DESC, id DESC);
CREATE INDEX invites_invited_by ON invites (invited_by);
CREATE INDEX invites_decided_by ON invites (decided_by);

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL REFERENCES teams,
    name TEXT NOT NULL,
    slug TEXT NOT NULL UNIQUE,
    website TEXT,
    profile TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_team ON projects (team_id);

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    label TEXT NOT NULL,
    roles TEXT NOT NULL,
    is_private INTEGER NOT NULL,
    pepper INTEGER NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    created_by TEXT NOT NULL REFERENCES accounts,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_project ON api_keys (project_id, created_at DESC, id DESC);
CREATE INDEX api_keys_created_by ON api_keys (created_by);

CREATE TABLE schema_versions (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    document TEXT NOT NULL,
    published_at TEXT NOT NULL,
    UNIQUE (project_id, number)
) STRICT;

CREATE TABLE project_users (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts,
    user_did TEXT NOT NULL,
    pds_url TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('connected', 'disconnected', 'blocked')),
    meta TEXT NOT NULL,
    profile TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    UNIQUE (project_id, account_id),
    UNIQUE (project_id, id)
) STRICT;
CREATE INDEX project_users_list ON project_users (project_id, created_at DESC, id DESC);
CREATE INDEX project_users_account ON project_users (account_id);

CREATE TABLE items (
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    id TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (project_id, user_id, table_name, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX items_list ON items (project_id, user_id, table_name, created_at DESC, id DESC);

CREATE TABLE server_keys (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('signing', 'pepper')),
    algorithm TEXT,
    generation INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    created_at TEXT NOT NULL,
    use_from TEXT NOT NULL,
    revision INTEGER NOT NULL,
    UNIQUE (kind, generation),
    CHECK ((kind = 'signing') = (algorithm IS NOT NULL))
) STRICT;

-- No foreign keys: the record outlives what it tells of.
CREATE TABLE audit_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    team_id TEXT,
    project_id TEXT,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('account', 'key', 'system')),
    actor_id TEXT,
    operation TEXT NOT NULL,
    action TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    before TEXT,
    after TEXT,
    request_id TEXT NOT NULL,
    address TEXT
) STRICT;
CREATE INDEX audit_events_team ON audit_events (team_id, seq);
CREATE INDEX audit_events_project ON audit_events (project_id, seq);
