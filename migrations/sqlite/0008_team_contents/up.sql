-- Counts the changes of the team's members, projects and invites, which do not change its revision.
ALTER TABLE teams ADD COLUMN contents_revision INTEGER NOT NULL DEFAULT 0;
