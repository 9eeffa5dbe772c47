CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    email_folded text NOT NULL CONSTRAINT accounts_email UNIQUE,
    email_verified boolean NOT NULL,
    username text,
    username_folded text CONSTRAINT accounts_username UNIQUE,
    name text,
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL
);

CREATE TABLE teams (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    slug text NOT NULL CONSTRAINT teams_slug UNIQUE,
    owner_id uuid NOT NULL REFERENCES accounts,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL
);
CREATE INDEX teams_owner ON teams (owner_id);

CREATE TABLE members (
    team_id uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts,
    roles text NOT NULL,
    role_name text NOT NULL,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    CONSTRAINT members_once PRIMARY KEY (team_id, account_id)
);
CREATE INDEX members_account ON members (account_id);

CREATE TABLE invites (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    recipient_kind text NOT NULL CHECK (recipient_kind IN ('email', 'username')),
    recipient text NOT NULL,
    recipient_folded text NOT NULL,
    roles text NOT NULL,
    role_name text NOT NULL,
    invited_by uuid NOT NULL REFERENCES accounts,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'accepted', 'revoked')),
    decided_by uuid REFERENCES accounts,
    decided_at timestamptz,
    revision bigint NOT NULL,
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((state = 'accepted') = (decided_by IS NOT NULL))
);
CREATE UNIQUE INDEX invites_pending ON invites (team_id, recipient_folded) WHERE state = 'pending';
CREATE INDEX invites_team ON invites (team_id, created_at DESC, id DESC);
CREATE INDEX invites_invited_by ON invites (invited_by);
CREATE INDEX invites_decided_by ON invites (decided_by);

CREATE TABLE projects (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams,
    name text NOT NULL,
    slug text NOT NULL CONSTRAINT projects_slug UNIQUE,
    website text,
    profile json NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    revision bigint NOT NULL
);
CREATE INDEX projects_team ON projects (team_id);

CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    label text NOT NULL,
    roles text NOT NULL,
    is_private boolean NOT NULL,
    pepper bigint NOT NULL,
    digest text NOT NULL CONSTRAINT api_keys_digest UNIQUE,
    hint text NOT NULL,
    created_by uuid NOT NULL REFERENCES accounts,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revision bigint NOT NULL
);
CREATE INDEX api_keys_project ON api_keys (project_id, created_at DESC, id DESC);
CREATE INDEX api_keys_created_by ON api_keys (created_by);

CREATE TABLE schema_versions (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    number integer NOT NULL CHECK (number > 0),
    document json NOT NULL,
    published_at timestamptz NOT NULL,
    CONSTRAINT schema_versions_number UNIQUE (project_id, number)
);

CREATE TABLE project_users (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts,
    user_did text NOT NULL,
    pds_url text NOT NULL,
    status text NOT NULL CHECK (status IN ('connected', 'disconnected', 'blocked')),
    meta json NOT NULL,
    profile json NOT NULL,
    last_seen_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    CONSTRAINT project_users_once UNIQUE (project_id, account_id),
    CONSTRAINT project_users_tenant UNIQUE (project_id, id)
);
CREATE INDEX project_users_list ON project_users (project_id, created_at DESC, id DESC);
CREATE INDEX project_users_account ON project_users (account_id);

CREATE TABLE items (
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    value jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    PRIMARY KEY (project_id, user_id, table_name, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);
CREATE INDEX items_list ON items (project_id, user_id, table_name, created_at DESC, id DESC);

CREATE TABLE server_keys (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('signing', 'pepper')),
    algorithm text,
    generation bigint NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    use_from timestamptz NOT NULL,
    revision bigint NOT NULL,
    CONSTRAINT server_keys_generation UNIQUE (kind, generation),
    CHECK ((kind = 'signing') = (algorithm IS NOT NULL))
);

-- No foreign keys: the record outlives what it tells of.
CREATE TABLE audit_events (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    team_id uuid,
    project_id uuid,
    actor_kind text NOT NULL CHECK (actor_kind IN ('account', 'key', 'system')),
    actor_id uuid,
    operation text NOT NULL,
    action text NOT NULL,
    target_kind text NOT NULL,
    target_id text NOT NULL,
    before json,
    after json,
    request_id text NOT NULL,
    address text
);
CREATE INDEX audit_events_team ON audit_events (team_id, seq);
CREATE INDEX audit_events_project ON audit_events (project_id, seq);
