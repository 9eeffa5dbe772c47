-- Every slug that a team or project has or had. A slug is in it once, so nobody else can take it; it goes with its owner.
CREATE TABLE team_slugs (
    slug text CONSTRAINT team_slugs_once PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams ON DELETE CASCADE
);
CREATE INDEX team_slugs_team ON team_slugs (team_id);
INSERT INTO team_slugs (slug, team_id) SELECT slug, id FROM teams;

CREATE TABLE project_slugs (
    slug text CONSTRAINT project_slugs_once PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE
);
CREATE INDEX project_slugs_project ON project_slugs (project_id);
INSERT INTO project_slugs (slug, project_id) SELECT slug, id FROM projects;

-- The default is for the version before, which may still write while this one starts, and sends no letters.
ALTER TABLE invites ADD COLUMN delivery text NOT NULL DEFAULT 'link'
    CHECK (delivery IN ('link', 'queued', 'sent', 'failed'));
ALTER TABLE invites DROP CONSTRAINT invites_state_check;
ALTER TABLE invites ADD CONSTRAINT invites_state_check
    CHECK (state IN ('pending', 'accepted', 'declined', 'revoked'));
ALTER TABLE invites DROP CONSTRAINT invites_check1;
ALTER TABLE invites ADD CONSTRAINT invites_check1
    CHECK ((state IN ('accepted', 'declined')) = (decided_by IS NOT NULL));
CREATE INDEX invites_recipient ON invites (recipient_folded, created_at DESC, id DESC) WHERE state = 'pending';

-- On which days a user was active: one row a user and day. Of the time before only the last day is known.
CREATE TABLE user_activity (
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    day date NOT NULL,
    PRIMARY KEY (project_id, user_id, day),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);
CREATE INDEX user_activity_days ON user_activity (project_id, day, user_id);
INSERT INTO user_activity (project_id, user_id, day)
    SELECT project_id, id, (last_seen_at AT TIME ZONE 'UTC')::date FROM project_users;

-- What a search looks through, in lower case: name, username, DID. It is written anew whenever the person is seen.
ALTER TABLE project_users ADD COLUMN search text NOT NULL DEFAULT '';
UPDATE project_users SET search = lower(coalesce(profile ->> 'name', '') || E'\n' ||
    coalesce(profile ->> 'username', '') || E'\n' || user_did);
CREATE INDEX project_users_status ON project_users (project_id, status, created_at DESC, id DESC);
