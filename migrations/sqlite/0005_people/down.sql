DROP INDEX project_users_status;
ALTER TABLE project_users DROP COLUMN search;
DROP TABLE user_activity;
CREATE TABLE new_invites (
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
INSERT INTO new_invites (
    id, team_id, recipient_kind, recipient, recipient_folded, roles, role_name, invited_by, created_at,
    expires_at, state, decided_by, decided_at, revision
) SELECT
    id, team_id, recipient_kind, recipient, recipient_folded, roles, role_name, invited_by, created_at,
    expires_at, replace(state, 'declined', 'revoked'), iif(state = 'declined', NULL, decided_by), decided_at, revision
FROM invites;
DROP TABLE invites;
ALTER TABLE new_invites RENAME TO invites;
CREATE UNIQUE INDEX invites_pending ON invites (team_id, recipient_folded) WHERE state = 'pending';
CREATE INDEX invites_team ON invites (team_id, created_at DESC, id DESC);
CREATE INDEX invites_invited_by ON invites (invited_by);
CREATE INDEX invites_decided_by ON invites (decided_by);
DROP TABLE project_slugs;
DROP TABLE team_slugs;
