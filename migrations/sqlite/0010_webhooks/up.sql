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
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL,
    -- How far it has been told: no part of what people change.
    position INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_attempt_at TEXT NOT NULL,
    leased_until TEXT NOT NULL,
    CHECK ((previous_secret IS NULL) = (previous_expires_at IS NULL)),
    CHECK ((paused_at IS NULL) = (pause_reason IS NULL))
) STRICT;
CREATE INDEX webhooks_team ON webhooks (team_id, created_at DESC, id DESC);
CREATE INDEX webhooks_project ON webhooks (project_id, created_at DESC, id DESC);
CREATE INDEX webhooks_created_by ON webhooks (created_by);
CREATE INDEX webhooks_due ON webhooks (next_attempt_at) WHERE paused_at IS NULL;

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
