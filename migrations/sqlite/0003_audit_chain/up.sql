-- The personal access token through which a person acted.
ALTER TABLE audit_events ADD COLUMN token_id TEXT;

-- The place of an event in the chain of its team: given soon after the event was written, and never changed.
ALTER TABLE audit_events ADD COLUMN position INTEGER;
ALTER TABLE audit_events ADD COLUMN prev TEXT;
ALTER TABLE audit_events ADD COLUMN hash TEXT CHECK ((hash IS NULL) = (position IS NULL) AND (hash IS NULL) = (prev IS NULL));
CREATE UNIQUE INDEX audit_events_position ON audit_events (team_id, position);
CREATE INDEX audit_events_unsealed ON audit_events (team_id, seq) WHERE position IS NULL;
CREATE INDEX audit_events_project_position ON audit_events (project_id, position);
CREATE INDEX audit_events_age ON audit_events (at);
