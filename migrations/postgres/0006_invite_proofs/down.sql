ALTER TABLE invites DROP COLUMN proof_digest;
