CREATE INDEX CONCURRENTLY IF NOT EXISTS invites_expiry ON invites (expires_at);
