CREATE INDEX CONCURRENTLY IF NOT EXISTS user_activity_age ON user_activity (day);
