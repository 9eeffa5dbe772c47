-- Whether people can sign in to a project with a code that they receive by email. The constant default rewrites no rows.
ALTER TABLE projects ADD COLUMN email_codes INTEGER NOT NULL DEFAULT 1;

-- Links that sign in. SQLite cannot change a CHECK. The table has few rows, because links expire within an hour.
CREATE TABLE new_email_links (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL CONSTRAINT email_links_digest UNIQUE,
    purpose TEXT NOT NULL CHECK (purpose IN ('verify_email', 'reset_password', 'change_email', 'sign_in')),
    email TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
INSERT INTO new_email_links SELECT id, digest, purpose, email, created_at, expires_at, revision FROM email_links;
DROP TABLE email_links;
ALTER TABLE new_email_links RENAME TO email_links;
CREATE INDEX email_links_expiry ON email_links (expires_at);
CREATE INDEX email_links_email ON email_links (email);
