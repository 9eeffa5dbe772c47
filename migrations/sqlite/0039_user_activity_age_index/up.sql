CREATE INDEX user_activity_age ON user_activity (day);
