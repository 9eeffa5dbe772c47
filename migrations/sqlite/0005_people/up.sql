-- Every slug that a team or project has or had. A slug is in it once, so nobody else can take it; it goes with its owner.
CREATE TABLE team_slugs (
    slug TEXT NOT NULL PRIMARY KEY,
    team_id TEXT NOT NULL REFERENCES teams ON DELETE CASCADE
) STRICT;
CREATE INDEX team_slugs_team ON team_slugs (team_id);
INSERT INTO team_slugs (slug, team_id) SELECT slug, id FROM teams;

CREATE TABLE project_slugs (
    slug TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE
) STRICT;
CREATE INDEX project_slugs_project ON project_slugs (project_id);
INSERT INTO project_slugs (slug, project_id) SELECT slug, id FROM projects;

-- SQLite changes no constraint in place: the table is made anew. The default is for a version that sends no letters.
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
    state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'revoked')),
    delivery TEXT NOT NULL DEFAULT 'link' CHECK (delivery IN ('link', 'queued', 'sent', 'failed')),
    decided_by TEXT REFERENCES accounts,
    decided_at TEXT,
    revision INTEGER NOT NULL,
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((state IN ('accepted', 'declined')) = (decided_by IS NOT NULL))
) STRICT;
INSERT INTO new_invites (
    id, team_id, recipient_kind, recipient, recipient_folded, roles, role_name, invited_by, created_at,
    expires_at, state, decided_by, decided_at, revision
) SELECT
    id, team_id, recipient_kind, recipient, recipient_folded, roles, role_name, invited_by, created_at,
    expires_at, state, decided_by, decided_at, revision
FROM invites;
DROP TABLE invites;
ALTER TABLE new_invites RENAME TO invites;
CREATE UNIQUE INDEX invites_pending ON invites (team_id, recipient_folded) WHERE state = 'pending';
CREATE INDEX invites_team ON invites (team_id, created_at DESC, id DESC);
CREATE INDEX invites_invited_by ON invites (invited_by);
CREATE INDEX invites_decided_by ON invites (decided_by);
CREATE INDEX invites_recipient ON invites (recipient_folded, created_at DESC, id DESC) WHERE state = 'pending';

-- On which days a user was active: one row a user and day. Of the time before only the last day is known.
CREATE TABLE user_activity (
    project_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    day TEXT NOT NULL,
    PRIMARY KEY (project_id, user_id, day),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX user_activity_days ON user_activity (project_id, day, user_id);
INSERT INTO user_activity (project_id, user_id, day) SELECT project_id, id, substr(last_seen_at, 1, 10) FROM project_users;

-- What a search looks through, in lower case: name, username, DID. It is written anew whenever the person is seen; until
-- then other letters than ASCII ones stay as they are.
ALTER TABLE project_users ADD COLUMN search TEXT NOT NULL DEFAULT '';
UPDATE project_users SET search = lower(coalesce(json_extract(profile, '$.name'), '') || char(10) ||
    coalesce(json_extract(profile, '$.username'), '') || char(10) || user_did);
CREATE INDEX project_users_status ON project_users (project_id, status, created_at DESC, id DESC);
