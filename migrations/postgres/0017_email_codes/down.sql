DELETE FROM email_links WHERE purpose = 'sign_in';
ALTER TABLE email_links DROP CONSTRAINT email_links_purpose_check;
ALTER TABLE email_links ADD CONSTRAINT email_links_purpose_check
    CHECK (purpose IN ('verify_email', 'reset_password', 'change_email'));
ALTER TABLE projects DROP COLUMN email_codes;
