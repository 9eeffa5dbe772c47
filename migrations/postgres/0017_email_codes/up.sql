-- Whether people can sign in to a project with a code that they receive by email. The constant default rewrites no rows.
ALTER TABLE projects ADD COLUMN email_codes boolean NOT NULL DEFAULT true;

-- Links that sign in. The table has few rows, because links expire within an hour.
ALTER TABLE email_links DROP CONSTRAINT email_links_purpose_check;
ALTER TABLE email_links ADD CONSTRAINT email_links_purpose_check
    CHECK (purpose IN ('verify_email', 'reset_password', 'change_email', 'sign_in')) NOT VALID;
ALTER TABLE email_links VALIDATE CONSTRAINT email_links_purpose_check;
