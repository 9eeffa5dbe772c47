-- `access_epoch`, of accounts and projects: raised by every write that may change what somebody may do as this account or in
-- this project. A statement that finds the epoch it expects acts on a decision that still holds.

CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    email_folded text NOT NULL CONSTRAINT accounts_email UNIQUE,
    email_verified boolean NOT NULL,
    username text,
    username_folded text CONSTRAINT accounts_username UNIQUE,
    name text,
    password_hash text NOT NULL,
    password_set_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    -- No credential of a disabled account works.
    disabled_at timestamptz,
    -- The row of a deleted account stays, emptied, for what still refers to its id.
    deleted_at timestamptz,
    access_epoch bigint NOT NULL DEFAULT 0,
    revision bigint NOT NULL
);
CREATE INDEX accounts_age ON accounts (created_at, id);

CREATE TABLE teams (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    slug text NOT NULL CONSTRAINT teams_slug UNIQUE,
    owner_id uuid NOT NULL REFERENCES accounts,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL
);
CREATE INDEX teams_owner ON teams (owner_id);

-- Every slug that a team has or had, so that nobody else can take it. It is deleted with its team.
CREATE TABLE team_slugs (
    slug text CONSTRAINT team_slugs_once PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams ON DELETE CASCADE
);
CREATE INDEX team_slugs_team ON team_slugs (team_id);

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
    state text NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'revoked')),
    delivery text NOT NULL CHECK (delivery IN ('link', 'queued', 'sent', 'failed')),
    decided_by uuid REFERENCES accounts,
    decided_at timestamptz,
    revision bigint NOT NULL,
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((state IN ('accepted', 'declined')) = (decided_by IS NOT NULL))
);
CREATE UNIQUE INDEX invites_pending ON invites (team_id, recipient_folded) WHERE state = 'pending';
CREATE INDEX invites_team ON invites (team_id, created_at DESC, id DESC);
CREATE INDEX invites_recipient ON invites (recipient_folded, created_at DESC, id DESC) WHERE state = 'pending';
CREATE INDEX invites_invited_by ON invites (invited_by);
CREATE INDEX invites_decided_by ON invites (decided_by);

CREATE TABLE projects (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams,
    name text NOT NULL,
    slug text NOT NULL CONSTRAINT projects_slug UNIQUE,
    website text,
    profile json NOT NULL,
    redirect_uris json NOT NULL,
    require_pkce boolean NOT NULL,
    -- The uploaded images: id, format, size and time of each. The bytes are kept elsewhere.
    icon json,
    background json,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Nobody finds a deleted project. Its row stays until what belongs to it is deleted, some rows at a time.
    deleted_at timestamptz,
    access_epoch bigint NOT NULL DEFAULT 0,
    revision bigint NOT NULL
);
CREATE INDEX projects_team ON projects (team_id);
CREATE INDEX projects_deleted ON projects (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX projects_cleanup ON projects (id) WHERE deleted_at IS NOT NULL;

-- Every slug that a project has or had, as in `team_slugs`.
CREATE TABLE project_slugs (
    slug text CONSTRAINT project_slugs_once PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE
);
CREATE INDEX project_slugs_project ON project_slugs (project_id);

CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    label text NOT NULL,
    roles text NOT NULL,
    is_private boolean NOT NULL,
    pepper bigint NOT NULL,
    digest text NOT NULL CONSTRAINT api_keys_digest UNIQUE,
    hint text NOT NULL,
    -- The value before the current one, as long as it is still valid.
    previous_pepper bigint,
    previous_digest text,
    previous_expires_at timestamptz,
    previous_last_used timestamptz,
    created_by uuid NOT NULL REFERENCES accounts,
    regenerated_by uuid REFERENCES accounts,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used timestamptz,
    revision bigint NOT NULL,
    CHECK ((previous_digest IS NULL) = (previous_pepper IS NULL) AND (previous_digest IS NULL) = (previous_expires_at IS NULL))
);
CREATE UNIQUE INDEX api_keys_previous_digest ON api_keys (previous_digest);
CREATE INDEX api_keys_project ON api_keys (project_id, created_at DESC, id DESC);
CREATE INDEX api_keys_created_by ON api_keys (created_by);
CREATE INDEX api_keys_regenerated_by ON api_keys (regenerated_by);

CREATE TABLE schema_versions (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    number integer NOT NULL CHECK (number > 0),
    document json NOT NULL,
    published_at timestamptz NOT NULL,
    CONSTRAINT schema_versions_number UNIQUE (project_id, number)
);

-- Tables of a project's data begin every key with the project: they can be partitioned or distributed by it. They have no
-- triggers, no identity columns, and nothing that is unique across projects.

CREATE TABLE project_users (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    id uuid NOT NULL,
    account_id uuid NOT NULL REFERENCES accounts,
    user_did text NOT NULL,
    pds_url text NOT NULL,
    status text NOT NULL CHECK (status IN ('connected', 'disconnected', 'blocked')),
    meta json NOT NULL,
    profile json NOT NULL,
    last_seen_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    -- What a search looks through, in lower case: name, username, DID. It is written again whenever the person is seen.
    search text NOT NULL,
    revision bigint NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT project_users_once UNIQUE (project_id, account_id)
);
CREATE INDEX project_users_list ON project_users (project_id, created_at DESC, id DESC);
CREATE INDEX project_users_status ON project_users (project_id, status, created_at DESC, id DESC);
CREATE INDEX project_users_account ON project_users (account_id);

-- On which days a user was active: one row for each user and day.
CREATE TABLE user_activity (
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    day date NOT NULL,
    PRIMARY KEY (project_id, user_id, day),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);
CREATE INDEX user_activity_days ON user_activity (project_id, day, user_id);

CREATE TABLE items (
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    value jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    -- How long the JSON of the item is, and how long it was before its last write.
    bytes bigint NOT NULL,
    bytes_before bigint,
    PRIMARY KEY (project_id, user_id, table_name, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);
-- Every item was created some time, and only lists say so: the planner cannot take this index to find one item, which without
-- statistics it otherwise does. The condition names no column that an update changes: such updates would be written to every
-- index.
CREATE INDEX items_list ON items (project_id, user_id, table_name, created_at DESC, id DESC) WHERE created_at > '-infinity';

-- The fields by which items are found and sorted fast. `new`: writes that do not see it may still be running; `filling`: every
-- write stores its keys, items from before are added step by step, up to the place that is kept; `filled`: every item has its
-- key; `retired`: no write stores its keys any more, and they are being deleted.
CREATE TABLE indexed_fields (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- Counted for each project.
    id bigint NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    field text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('string', 'number', 'boolean')),
    state text NOT NULL CHECK (state IN ('new', 'filling', 'filled', 'retired')),
    -- Transactions that find out when no write is running any more that does not see the field.
    noted_by xid8,
    seen_by xid8,
    filled_user uuid NOT NULL,
    filled_table text COLLATE "C" NOT NULL,
    filled_item text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, id)
);
CREATE INDEX indexed_fields_table ON indexed_fields (project_id, table_name);
CREATE UNIQUE INDEX indexed_fields_once ON indexed_fields (project_id, table_name, field) WHERE state <> 'retired';
CREATE INDEX indexed_fields_work ON indexed_fields (project_id, id) WHERE state <> 'filled';

-- What an item is found by: its value of one field, or null where it has none of the field's type. Texts are kept by their
-- first 200 characters; whole numbers of 64 bits exactly, all others as doubles; false as 0 and true as 1. Without a foreign
-- key, for which every write would lock the row of the field.
CREATE TABLE item_keys (
    project_id uuid NOT NULL,
    field_id bigint NOT NULL,
    owner_id uuid NOT NULL,
    item_id text COLLATE "C" NOT NULL,
    is_text boolean NOT NULL,
    text_key text COLLATE "C",
    number_key numeric,
    -- Not by field first, or PostgreSQL may take it to find the keys of a user, and read them all.
    PRIMARY KEY (project_id, owner_id, item_id, field_id)
);
-- Null comes last in both directions, so each direction needs an index of its own.
CREATE INDEX item_keys_text ON item_keys (project_id, field_id, owner_id, text_key, item_id) WHERE is_text;
CREATE INDEX item_keys_text_down ON item_keys (project_id, field_id, owner_id, text_key DESC NULLS LAST, item_id DESC)
    WHERE is_text;
CREATE INDEX item_keys_number ON item_keys (project_id, field_id, owner_id, number_key, item_id) WHERE NOT is_text;
CREATE INDEX item_keys_number_down ON item_keys (project_id, field_id, owner_id, number_key DESC NULLS LAST, item_id DESC)
    WHERE NOT is_text;

-- What a project stores, counted by the statements that write its items, in a few rows so that writers rarely wait for each
-- other. A row may grow up to its share of the quota, which is given out in pieces: so the sum never exceeds the quota,
-- however many write at once. A row may fall below zero: one row may count an item that another row loses.
CREATE TABLE project_usage (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    shard smallint NOT NULL,
    items bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    max_items bigint NOT NULL DEFAULT 0,
    max_bytes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, shard),
    CONSTRAINT project_usage_items CHECK (items <= max_items),
    CONSTRAINT project_usage_bytes CHECK (bytes <= max_bytes)
) WITH (fillfactor = 50);

-- An authorization request that waits for a person to sign in. Without a project it is of this service's own client.
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

-- What a person allowed a project. Its codes and tokens are deleted with it.
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
    -- When a family without refresh tokens is looked for again; null: when it was created.
    check_after timestamptz,
    revision bigint NOT NULL,
    FOREIGN KEY (account_id, project_id) REFERENCES grants (account_id, project_id) ON DELETE CASCADE
);
CREATE INDEX token_families_grant ON token_families (account_id, project_id);
CREATE INDEX token_families_age ON token_families (created_at);
CREATE INDEX token_families_check ON token_families (coalesce(check_after, created_at));

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

-- Without an account: an address that nobody has gets a link too.
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

CREATE TABLE personal_tokens (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    label text NOT NULL,
    roles text NOT NULL,
    teams json NOT NULL,
    projects json NOT NULL,
    pepper bigint NOT NULL,
    digest text NOT NULL CONSTRAINT personal_tokens_digest UNIQUE,
    hint text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_used timestamptz,
    revision bigint NOT NULL
);
CREATE INDEX personal_tokens_account ON personal_tokens (account_id, created_at DESC, id DESC);
CREATE INDEX personal_tokens_expiry ON personal_tokens (expires_at);

CREATE TABLE server_keys (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('signing', 'pepper')),
    algorithm text,
    generation bigint NOT NULL,
    encrypted bytea NOT NULL,
    created_at timestamptz NOT NULL,
    use_from timestamptz NOT NULL,
    revision bigint NOT NULL,
    CONSTRAINT server_keys_generation UNIQUE (kind, generation),
    CHECK ((kind = 'signing') = (algorithm IS NOT NULL))
);

-- Where an event stands: the transaction that wrote it, and its number within that transaction. Positions grow with the
-- transactions, so that whoever reads events in order reads those below `settled_position()` and misses none. The offset
-- grows when a dump is restored where transaction ids are lower: the service sees to it when it starts.
CREATE FUNCTION position_offset() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 0::bigint';
CREATE FUNCTION event_position(number bigint) RETURNS bigint LANGUAGE sql VOLATILE
    AS 'SELECT (pg_current_xact_id()::text::bigint + position_offset()) * 4096 + number';
-- Every transaction that writes below this position has ended.
CREATE FUNCTION settled_position() RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + position_offset()) * 4096';

-- Events are inserted once and never updated. Without foreign keys: the log outlives what it refers to. Partitions of a week
-- are made by the service; what has none is kept in the default partition.
CREATE TABLE audit_events (
    -- The project; or the team, of what belongs to no project; or the nil UUID, of what belongs to neither.
    chain_id uuid NOT NULL,
    position bigint NOT NULL,
    at timestamptz NOT NULL,
    team_id uuid,
    project_id uuid,
    actor_kind text NOT NULL CHECK (actor_kind IN ('account', 'key', 'system')),
    actor_id uuid,
    -- The personal access token through which a person acted.
    token_id uuid,
    operation text NOT NULL,
    action text NOT NULL,
    target_kind text NOT NULL,
    target_id text NOT NULL,
    before json,
    after json,
    request_id text NOT NULL,
    address text,
    PRIMARY KEY (chain_id, position, at)
) PARTITION BY RANGE (at);
CREATE INDEX audit_events_position ON audit_events (position);
CREATE INDEX audit_events_team ON audit_events (team_id, position);
CREATE TABLE audit_events_default PARTITION OF audit_events DEFAULT;

-- The events of items, apart from the log of administration: there are many more of them, and they may be kept for less long.
CREATE TABLE item_changes (
    project_id uuid NOT NULL,
    position bigint NOT NULL,
    at timestamptz NOT NULL,
    team_id uuid,
    user_id uuid NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    item_id text COLLATE "C" NOT NULL,
    action text NOT NULL,
    -- As in `audit_events`. Checking it would take as long as one more index.
    actor_kind text NOT NULL,
    actor_id uuid,
    token_id uuid,
    operation text NOT NULL,
    request_id text NOT NULL,
    address text,
    PRIMARY KEY (project_id, position, at)
) PARTITION BY RANGE (at);
CREATE INDEX item_changes_position ON item_changes (position);
CREATE INDEX item_changes_team ON item_changes (team_id, position);
CREATE TABLE item_changes_default PARTITION OF item_changes DEFAULT;

-- The hash chain of each project, and of each team for what belongs to no project: a row for each batch of events.
CREATE TABLE audit_seals (
    chain_id uuid NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    team_id uuid NOT NULL,
    -- It seals the events of the chain after one position, through another.
    after_position bigint NOT NULL,
    through_position bigint NOT NULL,
    -- When it was sealed, and when the first of its events happened.
    at timestamptz NOT NULL,
    first_at timestamptz NOT NULL,
    events bigint NOT NULL,
    events_hash text NOT NULL,
    item_changes bigint NOT NULL,
    item_changes_hash text NOT NULL,
    prev text NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (chain_id, number)
);
CREATE INDEX audit_seals_team ON audit_seals (team_id, chain_id);

-- One row: how far events are sealed, and from when on they are kept.
CREATE TABLE audit_progress (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    position bigint NOT NULL,
    events_kept_from timestamptz,
    item_changes_kept_from timestamptz
);
INSERT INTO audit_progress (position) VALUES (0);

-- Every ten minutes a place on the clock: transactions that began before this moment write at this position or a lower one,
-- later ones at higher ones.
CREATE TABLE event_marks (
    at timestamptz PRIMARY KEY,
    position bigint NOT NULL
);
CREATE INDEX event_marks_position ON event_marks (position);

CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    project_id uuid REFERENCES projects ON DELETE CASCADE,
    url text NOT NULL,
    events json NOT NULL,
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_expires_at timestamptz,
    paused_at timestamptz,
    pause_reason text,
    begins_after bigint NOT NULL,
    created_by uuid NOT NULL REFERENCES accounts,
    -- On whose permission it rests; null: that of `created_by`.
    authorized_by uuid REFERENCES accounts,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    -- How far its deliveries are. These columns are no part of what people change.
    position bigint NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    leased_until timestamptz NOT NULL,
    leased_by uuid,
    -- The position of the last event that it subscribes to, and when it is due; null: no such event waits.
    due_position bigint NOT NULL,
    wake_at timestamptz,
    CHECK ((previous_secret IS NULL) = (previous_expires_at IS NULL)),
    CHECK ((paused_at IS NULL) = (pause_reason IS NULL))
);
CREATE INDEX webhooks_team ON webhooks (team_id, created_at DESC, id DESC);
CREATE INDEX webhooks_project ON webhooks (project_id, created_at DESC, id DESC);
CREATE INDEX webhooks_created_by ON webhooks (created_by);
CREATE INDEX webhooks_authorized_by ON webhooks (authorized_by);
CREATE INDEX webhooks_wake ON webhooks (wake_at, team_id) WHERE paused_at IS NULL AND wake_at IS NOT NULL;
CREATE INDEX webhooks_of_team ON webhooks (team_id) WHERE project_id IS NULL;

CREATE TABLE deliveries (
    id uuid PRIMARY KEY,
    webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    position bigint NOT NULL,
    event text NOT NULL,
    attempt bigint NOT NULL,
    at timestamptz NOT NULL,
    took_ms bigint NOT NULL,
    status bigint,
    error text
);
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, at DESC, id DESC);
CREATE INDEX deliveries_age ON deliveries (at);

-- Which replica does a share of the background work, and until when no other does.
CREATE TABLE work_leases (
    share text PRIMARY KEY,
    holder uuid NOT NULL,
    leased_until timestamptz NOT NULL
);

-- A request with an Idempotency-Key: claimed before it runs; its response is stored after.
CREATE TABLE idempotency_claims (
    id uuid NOT NULL CONSTRAINT idempotency_claims_id UNIQUE,
    caller text NOT NULL,
    key_digest text NOT NULL,
    fingerprint text NOT NULL,
    leased_until timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    is_effective boolean NOT NULL,
    answer bytea,
    PRIMARY KEY (caller, key_digest)
);
CREATE INDEX idempotency_claims_expiry ON idempotency_claims (expires_at);

-- Rate limits that all replicas share: when each is at rest again, in microseconds of Unix time. The digest stands for what is
-- limited.
CREATE TABLE attempts (
    digest text PRIMARY KEY,
    at_rest bigint NOT NULL
);
CREATE INDEX attempts_at_rest ON attempts (at_rest);

-- The networks from which an account signed in, as digests.
CREATE TABLE sign_in_networks (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    digest text NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, digest)
);
CREATE INDEX sign_in_networks_seen ON sign_in_networks (seen_at);
