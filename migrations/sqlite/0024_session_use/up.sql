-- When the session was last used, with a precision of one minute.
ALTER TABLE sessions ADD COLUMN last_used TEXT;
