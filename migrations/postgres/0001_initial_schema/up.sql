-- `access_epoch` of accounts and projects is raised by every write that may change the permissions of the account or in
-- the project. If a statement finds the epoch that it expects, the access decision it is based on is still valid.

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
    -- Credentials of a disabled account are not valid.
    disabled_at timestamptz,
    -- The account is disabled for good, and its data is being deleted in steps.
    deletion_started_at timestamptz,
    -- Whether the account may administer the whole service.
    is_operator boolean NOT NULL DEFAULT false,
    -- The row of a deleted account is kept without personal data, because other rows still reference its ID.
    deleted_at timestamptz,
    access_epoch bigint NOT NULL DEFAULT 0,
    revision bigint NOT NULL
);
CREATE INDEX accounts_age ON accounts (created_at, id);
CREATE INDEX accounts_operators ON accounts (created_at, id) WHERE is_operator;
CREATE INDEX accounts_deletions ON accounts (id) WHERE deletion_started_at IS NOT NULL;

CREATE TABLE teams (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    slug text NOT NULL CONSTRAINT teams_slug UNIQUE,
    owner_id uuid NOT NULL REFERENCES accounts,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL
);
CREATE INDEX teams_owner ON teams (owner_id);

-- Current and former slugs of a team. No other team can use them. They are deleted with the team.
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
    legacy_scopes boolean NOT NULL,
    post_logout_redirect_uris json NOT NULL,
    backchannel_logout_uri text,
    -- Metadata of the uploaded images: ID, format, size, and upload timestamp. The image data is stored elsewhere.
    icon json,
    background json,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- A deleted project is not visible. Its row is kept until all of its data is deleted, a limited number of rows at a
    -- time.
    deleted_at timestamptz,
    access_epoch bigint NOT NULL DEFAULT 0,
    revision bigint NOT NULL
);
CREATE INDEX projects_team ON projects (team_id);
CREATE INDEX projects_deleted ON projects (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX projects_cleanup ON projects (id) WHERE deleted_at IS NOT NULL;

-- Current and former slugs of a project, as in `team_slugs`.
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
    -- The previous value of the key while it is still valid.
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

-- In tables with project data, every key starts with the project ID, so they can be partitioned or distributed by
-- project. They have no triggers, no identity columns, and no constraints that are unique across projects.

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
    -- Search text in lowercase: name, username, and DID. It is updated whenever the user is seen.
    search text NOT NULL,
    revision bigint NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT project_users_once UNIQUE (project_id, account_id)
);
CREATE INDEX project_users_list ON project_users (project_id, created_at DESC, id DESC);
CREATE INDEX project_users_status ON project_users (project_id, status, created_at DESC, id DESC);
CREATE INDEX project_users_account ON project_users (account_id);

-- Days on which a user was active: one row per user and day.
CREATE TABLE user_activity (
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    day date NOT NULL,
    PRIMARY KEY (project_id, user_id, day),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);
CREATE INDEX user_activity_days ON user_activity (project_id, day, user_id);

-- Numbers of requests to a project per day.
CREATE TABLE request_counts (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    day date NOT NULL,
    requests bigint NOT NULL,
    PRIMARY KEY (project_id, day)
);
CREATE INDEX request_counts_age ON request_counts (day);

CREATE TABLE items (
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    value jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    -- Length of the item's JSON in bytes, now and before the last write.
    bytes bigint NOT NULL,
    bytes_before bigint,
    -- Position of the last change, as in `item_changes`. Not in any index, so that updates of a row remain cheap.
    position bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, user_id, table_name, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);
-- The condition is always true, but only list queries include it, so the planner cannot use this index to find a single
-- item, which it otherwise does without statistics. The condition uses no column that updates change; otherwise every
-- update of such a column would also write to every index.
CREATE INDEX items_list ON items (project_id, user_id, table_name, created_at DESC, id DESC) WHERE created_at > '-infinity';

-- Deleted items of a user, with the position of the change that deleted them. A device that comes back is told what was
-- deleted since. Rows are kept as long as the user, because a device can be away for any time.
CREATE TABLE item_tombstones (
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    position bigint NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, user_id, position, table_name, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);

-- Digest of the last message with which a device changed items, to recognize it if the device sends it again. A user has
-- a fixed number of slots, which devices share.
CREATE TABLE sync_receipts (
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    slot bigint NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (project_id, user_id, slot),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);

-- Changes of devices that were not stored, or not completely. Only the newest of each project are kept.
CREATE TABLE sync_rejections (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    at timestamptz NOT NULL,
    device text NOT NULL,
    table_name text NOT NULL,
    item_id text NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);
CREATE INDEX sync_rejections_project ON sync_rejections (project_id, at DESC, id DESC);
CREATE INDEX sync_rejections_user ON sync_rejections (project_id, user_id);
CREATE INDEX sync_rejections_at ON sync_rejections (at);

-- Indexed fields of items. States: `new`: writes that do not see the field may still be running. `filling`: every write
-- stores keys, and older items are added step by step; `filled_user`, `filled_table`, and `filled_item` record the
-- progress. `filled`: every item has a key. `retired`: writes no longer store keys, and the existing keys are being
-- deleted.
CREATE TABLE indexed_fields (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- Sequential number within the project.
    id bigint NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    field text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('string', 'number', 'boolean')),
    state text NOT NULL CHECK (state IN ('new', 'filling', 'filled', 'retired')),
    -- Transaction IDs used to detect when all writes that do not see the field have ended.
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

-- Keys of items: the value of one field, or null if the item has no value of the field's type. Text is truncated to 200
-- characters. 64-bit integers are exact, all other numbers are doubles; false is 0 and true is 1. There is no foreign
-- key: with one, every write would lock the row of the field.
CREATE TABLE item_keys (
    project_id uuid NOT NULL,
    field_id bigint NOT NULL,
    owner_id uuid NOT NULL,
    item_id text COLLATE "C" NOT NULL,
    is_text boolean NOT NULL,
    text_key text COLLATE "C",
    number_key numeric,
    -- `field_id` is last: otherwise PostgreSQL may use this index to find the keys of a user, and read all of them.
    PRIMARY KEY (project_id, owner_id, item_id, field_id)
);
-- Nulls sort last in both directions, so each direction needs its own index.
CREATE INDEX item_keys_text ON item_keys (project_id, field_id, owner_id, text_key, item_id) WHERE is_text;
CREATE INDEX item_keys_text_down ON item_keys (project_id, field_id, owner_id, text_key DESC NULLS LAST, item_id DESC)
    WHERE is_text;
CREATE INDEX item_keys_number ON item_keys (project_id, field_id, owner_id, number_key, item_id) WHERE NOT is_text;
CREATE INDEX item_keys_number_down ON item_keys (project_id, field_id, owner_id, number_key DESC NULLS LAST, item_id DESC)
    WHERE NOT is_text;

-- Usage of a project, updated by the statements that write its items. It is split into a few rows (shards), so that
-- writers rarely wait for each other. The quota is divided among the rows and no row can exceed its share, so the sum
-- never exceeds the quota under concurrent writes. A row can be negative: an item may be counted in one row and removed
-- from another.
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

-- Pending authorization requests, until the user signs in. `project_id` is null for first-party clients.
CREATE TABLE authorization_requests (
    id uuid PRIMARY KEY,
    digest text NOT NULL CONSTRAINT authorization_requests_digest UNIQUE,
    client_id text NOT NULL,
    project_id uuid REFERENCES projects ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    scopes text NOT NULL,
    state text,
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

-- Scopes that a user granted to a project. Deleting a grant deletes its codes and tokens.
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
    -- The browser session in which the account consented. It may have ended.
    session_id uuid NOT NULL,
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

-- Each family contains all tokens that originate from one sign-in.
CREATE TABLE token_families (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id text NOT NULL,
    project_id uuid,
    -- The browser session in which the account signed in; null without a browser. It may have ended.
    session_id uuid,
    scopes text NOT NULL,
    authenticated_at timestamptz NOT NULL,
    password_set_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    -- When to check next whether the family has no refresh tokens left; null means at `created_at`.
    check_after timestamptz,
    revision bigint NOT NULL,
    FOREIGN KEY (account_id, project_id) REFERENCES grants (account_id, project_id) ON DELETE CASCADE
);
CREATE INDEX token_families_grant ON token_families (account_id, project_id);
CREATE INDEX token_families_age ON token_families (created_at);
CREATE INDEX token_families_session ON token_families (session_id, id) WHERE session_id IS NOT NULL;
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

-- Logout tokens that are to be delivered to clients, because a session has ended. There are no foreign keys: what a row
-- refers to may be deleted before it is delivered.
CREATE TABLE logout_deliveries (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    session_id uuid NOT NULL,
    client_id text NOT NULL,
    project_id uuid NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at timestamptz NOT NULL
);
CREATE INDEX logout_deliveries_due ON logout_deliveries (next_attempt_at);

-- Links do not reference an account: an unknown email address also gets a link.
CREATE TABLE email_links (
    id uuid PRIMARY KEY,
    digest text NOT NULL CONSTRAINT email_links_digest UNIQUE,
    purpose text NOT NULL CHECK (purpose IN ('verify_email', 'reset_password', 'change_email')),
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
    kind text NOT NULL CHECK (kind IN ('signing', 'id_token_signing', 'pepper')),
    algorithm text,
    generation bigint NOT NULL,
    encrypted bytea NOT NULL,
    created_at timestamptz NOT NULL,
    use_from timestamptz NOT NULL,
    revision bigint NOT NULL,
    CONSTRAINT server_keys_generation UNIQUE (kind, generation),
    CHECK ((kind = 'pepper') = (algorithm IS NULL))
);

-- Position of an event: the ID of the transaction that wrote it, and its number within that transaction. Positions
-- increase with transaction IDs, so a reader that reads events in order below `settled_position()` misses none. On
-- startup, the service raises the offset if a dump was restored in a cluster with lower transaction IDs.
CREATE FUNCTION position_offset() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 0::bigint';
CREATE FUNCTION event_position(number bigint) RETURNS bigint LANGUAGE sql VOLATILE
    AS 'SELECT (pg_current_xact_id()::text::bigint + position_offset()) * 4096 + number';
-- Every transaction that writes below this position has ended.
CREATE FUNCTION settled_position() RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + position_offset()) * 4096';

-- Events are inserted once and never updated. There are no foreign keys, because events outlive the rows they refer to.
-- The service creates weekly partitions; all other events are stored in the default partition.
CREATE TABLE audit_events (
    -- ID of the project, of the team for events without a project, or the nil UUID for events without either.
    chain_id uuid NOT NULL,
    position bigint NOT NULL,
    at timestamptz NOT NULL,
    team_id uuid,
    project_id uuid,
    actor_kind text NOT NULL CHECK (actor_kind IN ('account', 'key', 'system')),
    actor_id uuid,
    -- The personal access token that was used.
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

-- Events of items, separate from administrative events: there are many more of them, and they can have a shorter
-- retention period.
CREATE TABLE item_changes (
    project_id uuid NOT NULL,
    position bigint NOT NULL,
    at timestamptz NOT NULL,
    team_id uuid,
    user_id uuid NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    item_id text COLLATE "C" NOT NULL,
    action text NOT NULL,
    -- Values as in `audit_events`. A CHECK constraint would cost as much as another index.
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

-- Hash chains: one per project, and one per team for events without a project. Each row seals a batch of events.
CREATE TABLE audit_seals (
    chain_id uuid NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    team_id uuid NOT NULL,
    -- The seal covers the events after `after_position` up to and including `through_position`.
    after_position bigint NOT NULL,
    through_position bigint NOT NULL,
    -- When the batch was sealed, and the timestamp of its first event.
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

-- A single row: the position up to which events are sealed, and the timestamps from which events are retained.
CREATE TABLE audit_progress (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    position bigint NOT NULL,
    events_kept_from timestamptz,
    item_changes_kept_from timestamptz
);
INSERT INTO audit_progress (position) VALUES (0);

-- Maps timestamps to positions, with one row every ten minutes. Transactions that began before `at` write at `position`
-- or below; later ones write at higher positions.
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
    -- The account whose permissions the webhook uses; null means `created_by`.
    authorized_by uuid REFERENCES accounts,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    -- Delivery progress. These columns are not part of the configuration that users can change.
    position bigint NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    leased_until timestamptz NOT NULL,
    leased_by uuid,
    -- Position of the last subscribed event, and when the webhook is due; null if no subscribed event is pending.
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

-- Leases on shares of the background work: the replica that holds each share, and when its lease expires.
CREATE TABLE work_leases (
    share text PRIMARY KEY,
    holder uuid NOT NULL,
    leased_until timestamptz NOT NULL
);

-- Requests with an Idempotency-Key: claimed before they run; the response is stored afterwards.
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

-- Rate limits shared by all replicas. `at_rest` is when the limit is fully reset, in microseconds since the Unix epoch.
-- `digest` identifies what is limited.
CREATE TABLE attempts (
    digest text PRIMARY KEY,
    at_rest bigint NOT NULL
);
CREATE INDEX attempts_at_rest ON attempts (at_rest);

-- Digests of the networks from which an account signed in.
CREATE TABLE sign_in_networks (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    digest text NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, digest)
);
CREATE INDEX sign_in_networks_seen ON sign_in_networks (seen_at);
