-- When the session was last used, with a precision of some minutes.
ALTER TABLE sessions ADD COLUMN last_used timestamptz;
