-- SHA-256 of the secret in the emailed link of the invite, which proves the address once. NULL: there is none, or it was used.
ALTER TABLE invites ADD COLUMN proof_digest TEXT;
