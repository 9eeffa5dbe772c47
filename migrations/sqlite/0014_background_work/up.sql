-- Who does a share of the background work, and until when no other replica does.
CREATE TABLE work_leases (
    share TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    leased_until TEXT NOT NULL
) STRICT;

-- A webhook is quiet until an event that it wants has its position. `due_position`: of the last such event. `wake_at`: from
-- when it is due; null: it is quiet. The defaults have every webhook of the version before looked at once.
ALTER TABLE webhooks ADD COLUMN due_position INTEGER NOT NULL DEFAULT 9223372036854775807;
ALTER TABLE webhooks ADD COLUMN wake_at TEXT DEFAULT '1970-01-01T00:00:00.000000Z';
ALTER TABLE webhooks ADD COLUMN leased_by TEXT;
CREATE INDEX webhooks_wake ON webhooks (wake_at, team_id) WHERE paused_at IS NULL AND wake_at IS NOT NULL;
CREATE INDEX webhooks_of_team ON webhooks (team_id) WHERE project_id IS NULL;

-- From when a family without refresh tokens is looked for again; null: from when it was created.
ALTER TABLE token_families ADD COLUMN check_after TEXT;
CREATE INDEX token_families_check ON token_families (coalesce(check_after, created_at));

CREATE INDEX projects_cleanup ON projects (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX indexed_fields_work ON indexed_fields (project_id, id) WHERE state <> 'filled';
