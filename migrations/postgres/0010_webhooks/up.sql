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
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    -- How far it has been told: no part of what people change.
    position bigint NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    leased_until timestamptz NOT NULL,
    CHECK ((previous_secret IS NULL) = (previous_expires_at IS NULL)),
    CHECK ((paused_at IS NULL) = (pause_reason IS NULL))
);
CREATE INDEX webhooks_team ON webhooks (team_id, created_at DESC, id DESC);
CREATE INDEX webhooks_project ON webhooks (project_id, created_at DESC, id DESC);
CREATE INDEX webhooks_created_by ON webhooks (created_by);
CREATE INDEX webhooks_due ON webhooks (next_attempt_at) WHERE paused_at IS NULL;

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
