-- `access_epoch` of accounts and projects is raised by every write that may change the permissions of the account or in
-- the project. If a statement finds the epoch that it expects, the access decision it is based on is still valid.

CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL CONSTRAINT accounts_email UNIQUE,
    email_verified INTEGER NOT NULL,
    username TEXT,
    username_folded TEXT CONSTRAINT accounts_username UNIQUE,
    name TEXT,
    password_hash TEXT NOT NULL,
    password_set_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    -- Credentials of a disabled account are not valid.
    disabled_at TEXT,
    -- The account is disabled for good, and its data is being deleted in steps.
    deletion_started_at TEXT,
    -- Whether the account may administer the whole service.
    is_operator INTEGER NOT NULL DEFAULT 0,
    -- The row of a deleted account is kept without personal data, because other rows still reference its ID.
    deleted_at TEXT,
    access_epoch INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX accounts_age ON accounts (created_at, id);
CREATE INDEX accounts_operators ON accounts (created_at, id) WHERE is_operator;
CREATE INDEX accounts_deletions ON accounts (id) WHERE deletion_started_at IS NOT NULL;

CREATE TABLE teams (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    slug TEXT NOT NULL CONSTRAINT teams_slug UNIQUE,
    owner_id TEXT NOT NULL REFERENCES accounts,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX teams_owner ON teams (owner_id);

-- Current and former slugs of a team. No other team can use them. They are deleted with the team.
CREATE TABLE team_slugs (
    slug TEXT NOT NULL PRIMARY KEY,
    team_id TEXT NOT NULL REFERENCES teams ON DELETE CASCADE
) STRICT;
CREATE INDEX team_slugs_team ON team_slugs (team_id);

CREATE TABLE members (
    team_id TEXT NOT NULL REFERENCES teams ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts,
    roles TEXT NOT NULL,
    role_name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    CONSTRAINT members_once PRIMARY KEY (team_id, account_id)
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
    state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'revoked')),
    delivery TEXT NOT NULL CHECK (delivery IN ('link', 'queued', 'sent', 'failed')),
    decided_by TEXT REFERENCES accounts,
    decided_at TEXT,
    revision INTEGER NOT NULL,
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((state IN ('accepted', 'declined')) = (decided_by IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX invites_pending ON invites (team_id, recipient_folded) WHERE state = 'pending';
CREATE INDEX invites_team ON invites (team_id, created_at DESC, id DESC);
CREATE INDEX invites_recipient ON invites (recipient_folded, created_at DESC, id DESC) WHERE state = 'pending';
CREATE INDEX invites_invited_by ON invites (invited_by);
CREATE INDEX invites_decided_by ON invites (decided_by);

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL REFERENCES teams,
    name TEXT NOT NULL,
    slug TEXT NOT NULL CONSTRAINT projects_slug UNIQUE,
    website TEXT,
    profile TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    require_pkce INTEGER NOT NULL,
    legacy_scopes INTEGER NOT NULL,
    post_logout_redirect_uris TEXT NOT NULL,
    backchannel_logout_uri TEXT,
    -- Metadata of the uploaded images: ID, format, size, and upload timestamp. The image data is stored elsewhere.
    icon TEXT,
    background TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    -- A deleted project is not visible. Its row is kept until all of its data is deleted, a limited number of rows at a
    -- time.
    deleted_at TEXT,
    access_epoch INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_team ON projects (team_id);
CREATE INDEX projects_deleted ON projects (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX projects_cleanup ON projects (id) WHERE deleted_at IS NOT NULL;

-- Current and former slugs of a project, as in `team_slugs`.
CREATE TABLE project_slugs (
    slug TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE
) STRICT;
CREATE INDEX project_slugs_project ON project_slugs (project_id);

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    label TEXT NOT NULL,
    roles TEXT NOT NULL,
    is_private INTEGER NOT NULL,
    pepper INTEGER NOT NULL,
    digest TEXT NOT NULL CONSTRAINT api_keys_digest UNIQUE,
    hint TEXT NOT NULL,
    -- The previous value of the key while it is still valid.
    previous_pepper INTEGER,
    previous_digest TEXT,
    previous_expires_at TEXT,
    previous_last_used TEXT,
    created_by TEXT NOT NULL REFERENCES accounts,
    regenerated_by TEXT REFERENCES accounts,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    last_used TEXT,
    revision INTEGER NOT NULL,
    CHECK ((previous_digest IS NULL) = (previous_pepper IS NULL) AND (previous_digest IS NULL) = (previous_expires_at IS NULL))
) STRICT;
CREATE UNIQUE INDEX api_keys_previous_digest ON api_keys (previous_digest);
CREATE INDEX api_keys_project ON api_keys (project_id, created_at DESC, id DESC);
CREATE INDEX api_keys_created_by ON api_keys (created_by);
CREATE INDEX api_keys_regenerated_by ON api_keys (regenerated_by);

CREATE TABLE schema_versions (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    document TEXT NOT NULL,
    published_at TEXT NOT NULL,
    CONSTRAINT schema_versions_number UNIQUE (project_id, number)
) STRICT;

-- In tables with project data, every key starts with the project ID, so they can be partitioned or distributed by
-- project. They have no triggers, no identity columns, and no constraints that are unique across projects.

CREATE TABLE project_users (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts,
    user_did TEXT NOT NULL,
    pds_url TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('connected', 'disconnected', 'blocked')),
    meta TEXT NOT NULL,
    profile TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    -- Search text in lowercase: name, username, and DID. It is updated whenever the user is seen.
    search TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT project_users_once UNIQUE (project_id, account_id)
) STRICT;
CREATE INDEX project_users_list ON project_users (project_id, created_at DESC, id DESC);
CREATE INDEX project_users_status ON project_users (project_id, status, created_at DESC, id DESC);
CREATE INDEX project_users_account ON project_users (account_id);

-- Days on which a user was active: one row per user and day.
CREATE TABLE user_activity (
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    day TEXT NOT NULL,
    PRIMARY KEY (project_id, user_id, day),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX user_activity_days ON user_activity (project_id, day, user_id);

-- Numbers of requests to a project per day.
CREATE TABLE request_counts (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    day TEXT NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (project_id, day)
) STRICT;
CREATE INDEX request_counts_age ON request_counts (day);

CREATE TABLE items (
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    id TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    -- Length of the item's JSON in bytes, now and before the last write.
    bytes INTEGER NOT NULL,
    bytes_before INTEGER,
    -- Position of the last change, as in `item_changes`.
    position INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, user_id, table_name, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX items_list ON items (project_id, user_id, table_name, created_at DESC, id DESC);

-- Deleted items of a user, with the position of the change that deleted them. A device that comes back is told what was
-- deleted since. Rows are kept as long as the user, because a device can be away for any time.
CREATE TABLE item_tombstones (
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    table_name TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (project_id, user_id, position, table_name, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Digest of the last message with which a device changed items, to recognize it if the device sends it again. A user has
-- a fixed number of slots, which devices share.
CREATE TABLE sync_receipts (
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    slot INTEGER NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (project_id, user_id, slot),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Changes of devices that were not stored, or not completely. Only the newest of each project are kept.
CREATE TABLE sync_rejections (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    at TEXT NOT NULL,
    device TEXT NOT NULL,
    table_name TEXT NOT NULL,
    item_id TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX sync_rejections_project ON sync_rejections (project_id, at DESC, id DESC);
CREATE INDEX sync_rejections_user ON sync_rejections (project_id, user_id);
CREATE INDEX sync_rejections_at ON sync_rejections (at);

-- Indexed fields of items. States: `new`: just published. `filling`: every write stores keys, and older items are added
-- step by step; `filled_user`, `filled_table`, and `filled_item` record the progress. `filled`: every item has a key.
-- `retired`: writes no longer store keys, and the existing keys are being deleted.
CREATE TABLE indexed_fields (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    -- Sequential number within the project.
    id INTEGER NOT NULL,
    table_name TEXT NOT NULL,
    field TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('string', 'number', 'boolean')),
    state TEXT NOT NULL CHECK (state IN ('new', 'filling', 'filled', 'retired')),
    filled_user TEXT NOT NULL,
    filled_table TEXT NOT NULL,
    filled_item TEXT NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;
CREATE INDEX indexed_fields_table ON indexed_fields (project_id, table_name);
CREATE UNIQUE INDEX indexed_fields_once ON indexed_fields (project_id, table_name, field) WHERE state <> 'retired';
CREATE INDEX indexed_fields_work ON indexed_fields (project_id, id) WHERE state <> 'filled';

-- Keys of items: the value of one field, or null if the item has no value of the field's type. Text is truncated to 200
-- characters. Numbers are integers or doubles, as in the item; false is 0 and true is 1. Unlike in PostgreSQL, one
-- index serves both sort directions.
CREATE TABLE item_keys (
    project_id TEXT NOT NULL,
    field_id INTEGER NOT NULL,
    owner_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    is_text INTEGER NOT NULL,
    text_key TEXT,
    number_key ANY,
    PRIMARY KEY (project_id, field_id, owner_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_keys_text ON item_keys (project_id, field_id, owner_id, text_key, item_id) WHERE is_text;
CREATE INDEX item_keys_number ON item_keys (project_id, field_id, owner_id, number_key, item_id) WHERE NOT is_text;

-- Usage of a project, updated by the statements that write its items. The quota is divided among the rows and no row
-- can exceed its share, so the sum never exceeds the quota. The rows match PostgreSQL, where several rows reduce
-- contention between writers.
CREATE TABLE project_usage (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    shard INTEGER NOT NULL,
    items INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    max_items INTEGER NOT NULL DEFAULT 0,
    max_bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, shard),
    CONSTRAINT project_usage_items CHECK (items <= max_items),
    CONSTRAINT project_usage_bytes CHECK (bytes <= max_bytes)
) STRICT, WITHOUT ROWID;

-- Pending authorization requests, until the user signs in. `project_id` is null for first-party clients.
CREATE TABLE authorization_requests (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL CONSTRAINT authorization_requests_digest UNIQUE,
    client_id TEXT NOT NULL,
    project_id TEXT REFERENCES projects ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    scopes TEXT NOT NULL,
    state TEXT,
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

-- Scopes that a user granted to a project. Deleting a grant deletes its codes and tokens.
CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    CONSTRAINT grants_once UNIQUE (account_id, project_id)
) STRICT;
CREATE INDEX grants_project ON grants (project_id);

CREATE TABLE authorization_codes (
    family_id TEXT PRIMARY KEY,
    digest TEXT NOT NULL CONSTRAINT authorization_codes_digest UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    project_id TEXT,
    -- The browser session in which the account consented. It may have ended.
    session_id TEXT NOT NULL,
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

-- Each family contains all tokens that originate from one sign-in.
CREATE TABLE token_families (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    project_id TEXT,
    -- The browser session in which the account signed in; null without a browser. It may have ended.
    session_id TEXT,
    scopes TEXT NOT NULL,
    authenticated_at TEXT NOT NULL,
    password_set_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revoked_at TEXT,
    -- When to check next whether the family has no refresh tokens left; null means at `created_at`.
    check_after TEXT,
    revision INTEGER NOT NULL,
    FOREIGN KEY (account_id, project_id) REFERENCES grants (account_id, project_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX token_families_grant ON token_families (account_id, project_id);
CREATE INDEX token_families_age ON token_families (created_at);
CREATE INDEX token_families_session ON token_families (session_id, id) WHERE session_id IS NOT NULL;
CREATE INDEX token_families_check ON token_families (coalesce(check_after, created_at));

CREATE TABLE refresh_tokens (
    id TEXT PRIMARY KEY,
    family_id TEXT NOT NULL REFERENCES token_families ON DELETE CASCADE,
    digest TEXT NOT NULL CONSTRAINT refresh_tokens_digest UNIQUE,
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
    digest TEXT NOT NULL CONSTRAINT sessions_digest UNIQUE,
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

-- Logout tokens that are to be delivered to clients, because a session has ended. There are no foreign keys: what a row
-- refers to may be deleted before it is delivered.
CREATE TABLE logout_deliveries (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    next_attempt_at TEXT NOT NULL
) STRICT;
CREATE INDEX logout_deliveries_due ON logout_deliveries (next_attempt_at);

-- Links do not reference an account: an unknown email address also gets a link.
CREATE TABLE email_links (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL CONSTRAINT email_links_digest UNIQUE,
    purpose TEXT NOT NULL CHECK (purpose IN ('verify_email', 'reset_password', 'change_email')),
    email TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX email_links_expiry ON email_links (expires_at);

CREATE TABLE personal_tokens (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    label TEXT NOT NULL,
    roles TEXT NOT NULL,
    teams TEXT NOT NULL,
    projects TEXT NOT NULL,
    pepper INTEGER NOT NULL,
    digest TEXT NOT NULL CONSTRAINT personal_tokens_digest UNIQUE,
    hint TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    last_used TEXT,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX personal_tokens_account ON personal_tokens (account_id, created_at DESC, id DESC);
CREATE INDEX personal_tokens_expiry ON personal_tokens (expires_at);

CREATE TABLE server_keys (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('signing', 'id_token_signing', 'pepper')),
    algorithm TEXT,
    generation INTEGER NOT NULL,
    encrypted BLOB NOT NULL,
    created_at TEXT NOT NULL,
    use_from TEXT NOT NULL,
    revision INTEGER NOT NULL,
    CONSTRAINT server_keys_generation UNIQUE (kind, generation),
    CHECK ((kind = 'pepper') = (algorithm IS NULL))
) STRICT;

-- Events are inserted once and never updated. There is one writer, so positions increase in commit order. There are no
-- foreign keys, because events outlive the rows they refer to.
CREATE TABLE audit_events (
    position INTEGER PRIMARY KEY,
    -- ID of the project, of the team for events without a project, or the nil UUID for events without either.
    chain_id TEXT NOT NULL,
    at TEXT NOT NULL,
    team_id TEXT,
    project_id TEXT,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('account', 'key', 'system')),
    actor_id TEXT,
    -- The personal access token that was used.
    token_id TEXT,
    operation TEXT NOT NULL,
    action TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    before TEXT,
    after TEXT,
    request_id TEXT NOT NULL,
    address TEXT
) STRICT;
CREATE INDEX audit_events_chain ON audit_events (chain_id, position);
CREATE INDEX audit_events_team ON audit_events (team_id, position);

-- Events of items, separate from administrative events: there are many more of them, and they can have a shorter
-- retention period.
CREATE TABLE item_changes (
    position INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL,
    at TEXT NOT NULL,
    team_id TEXT,
    user_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    item_id TEXT NOT NULL,
    action TEXT NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('account', 'key', 'system')),
    actor_id TEXT,
    token_id TEXT,
    operation TEXT NOT NULL,
    request_id TEXT NOT NULL,
    address TEXT
) STRICT;
CREATE INDEX item_changes_project ON item_changes (project_id, position);
CREATE INDEX item_changes_team ON item_changes (team_id, position);

-- Hash chains: one per project, and one per team for events without a project. Each row seals a batch of events.
CREATE TABLE audit_seals (
    chain_id TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    team_id TEXT NOT NULL,
    -- The seal covers the events after `after_position` up to and including `through_position`.
    after_position INTEGER NOT NULL,
    through_position INTEGER NOT NULL,
    -- When the batch was sealed, and the timestamp of its first event.
    at TEXT NOT NULL,
    first_at TEXT NOT NULL,
    events INTEGER NOT NULL,
    events_hash TEXT NOT NULL,
    item_changes INTEGER NOT NULL,
    item_changes_hash TEXT NOT NULL,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (chain_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_seals_team ON audit_seals (team_id, chain_id);

-- A single row: the position up to which events are sealed, and the timestamps from which events are retained.
CREATE TABLE audit_progress (
    one INTEGER PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    position INTEGER NOT NULL,
    events_kept_from TEXT,
    item_changes_kept_from TEXT
) STRICT;
INSERT INTO audit_progress (position) VALUES (0);

-- Maps timestamps to positions, with one row every ten minutes. Transactions that began before `at` write at `position`
-- or below; later ones write at higher positions.
CREATE TABLE event_marks (
    at TEXT PRIMARY KEY,
    position INTEGER NOT NULL
) STRICT;
CREATE INDEX event_marks_position ON event_marks (position);

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL REFERENCES teams ON DELETE CASCADE,
    project_id TEXT REFERENCES projects ON DELETE CASCADE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret BLOB NOT NULL,
    previous_secret BLOB,
    previous_expires_at TEXT,
    paused_at TEXT,
    pause_reason TEXT,
    begins_after INTEGER NOT NULL,
    created_by TEXT NOT NULL REFERENCES accounts,
    -- The account whose permissions the webhook uses; null means `created_by`.
    authorized_by TEXT REFERENCES accounts,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    -- Delivery progress. These columns are not part of the configuration that users can change.
    position INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_attempt_at TEXT NOT NULL,
    leased_until TEXT NOT NULL,
    leased_by TEXT,
    -- Position of the last subscribed event, and when the webhook is due; null if no subscribed event is pending.
    due_position INTEGER NOT NULL,
    wake_at TEXT,
    CHECK ((previous_secret IS NULL) = (previous_expires_at IS NULL)),
    CHECK ((paused_at IS NULL) = (pause_reason IS NULL))
) STRICT;
CREATE INDEX webhooks_team ON webhooks (team_id, created_at DESC, id DESC);
CREATE INDEX webhooks_project ON webhooks (project_id, created_at DESC, id DESC);
CREATE INDEX webhooks_created_by ON webhooks (created_by);
CREATE INDEX webhooks_authorized_by ON webhooks (authorized_by);
CREATE INDEX webhooks_wake ON webhooks (wake_at, team_id) WHERE paused_at IS NULL AND wake_at IS NOT NULL;
CREATE INDEX webhooks_of_team ON webhooks (team_id) WHERE project_id IS NULL;

CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    position INTEGER NOT NULL,
    event TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    at TEXT NOT NULL,
    took_ms INTEGER NOT NULL,
    status INTEGER,
    error TEXT
) STRICT;
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, at DESC, id DESC);
CREATE INDEX deliveries_age ON deliveries (at);

-- Leases on shares of the background work: the replica that holds each share, and when its lease expires.
CREATE TABLE work_leases (
    share TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    leased_until TEXT NOT NULL
) STRICT;

-- Requests with an Idempotency-Key: claimed before they run; the response is stored afterwards.
CREATE TABLE idempotency_claims (
    id TEXT NOT NULL CONSTRAINT idempotency_claims_id UNIQUE,
    caller TEXT NOT NULL,
    key_digest TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    leased_until TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    is_effective INTEGER NOT NULL,
    answer BLOB,
    PRIMARY KEY (caller, key_digest)
) STRICT;
CREATE INDEX idempotency_claims_expiry ON idempotency_claims (expires_at);

-- Rate limits shared by all replicas. `at_rest` is when the limit is fully reset, in microseconds since the Unix epoch.
-- `digest` identifies what is limited.
CREATE TABLE attempts (
    digest TEXT PRIMARY KEY,
    at_rest INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_at_rest ON attempts (at_rest);

-- Digests of the networks from which an account signed in.
CREATE TABLE sign_in_networks (
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    digest TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    PRIMARY KEY (account_id, digest)
) STRICT;
CREATE INDEX sign_in_networks_seen ON sign_in_networks (seen_at);
