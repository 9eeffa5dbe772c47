CREATE INDEX invites_expiry ON invites (expires_at);
