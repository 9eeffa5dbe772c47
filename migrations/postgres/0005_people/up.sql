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
