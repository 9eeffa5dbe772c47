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
