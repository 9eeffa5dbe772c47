DROP INDEX invites_recipient;
UPDATE invites SET state = 'revoked', decided_by = NULL WHERE state = 'declined';
ALTER TABLE invites DROP CONSTRAINT invites_check1;
ALTER TABLE invites ADD CONSTRAINT invites_check1 CHECK ((state = 'accepted') = (decided_by IS NOT NULL));
ALTER TABLE invites DROP CONSTRAINT invites_state_check;
ALTER TABLE invites ADD CONSTRAINT invites_state_check CHECK (state IN ('pending', 'accepted', 'revoked'));
ALTER TABLE invites DROP COLUMN delivery;
DROP TABLE project_slugs;
DROP TABLE team_slugs;
