DROP INDEX audit_events_age;
DROP INDEX audit_events_project_position;
DROP INDEX audit_events_unsealed;
DROP INDEX audit_events_position;
ALTER TABLE audit_events DROP COLUMN hash;
ALTER TABLE audit_events DROP COLUMN prev;
ALTER TABLE audit_events DROP COLUMN position;
ALTER TABLE audit_events DROP COLUMN token_id;
