-- How the person signed in: names of methods, separated by spaces.
ALTER TABLE sessions ADD COLUMN methods TEXT NOT NULL DEFAULT 'password';
ALTER TABLE authorization_codes ADD COLUMN methods TEXT NOT NULL DEFAULT 'password';
ALTER TABLE token_families ADD COLUMN methods TEXT NOT NULL DEFAULT 'password';

-- The assurance that the client asks for (`acr_values`). NULL: any.
ALTER TABLE authorization_requests ADD COLUMN acr TEXT;

-- Programs that show one-time codes (RFC 6238).
CREATE TABLE authenticator_apps (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL CONSTRAINT authenticator_apps_account UNIQUE REFERENCES accounts ON DELETE CASCADE,
    -- Encrypted with the server secret.
    key BLOB NOT NULL,
    -- The time step of the last code that was used.
    last_step INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    last_used TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;

-- Codes that each replace a lost second factor once.
CREATE TABLE recovery_codes (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL CONSTRAINT recovery_codes_account UNIQUE REFERENCES accounts ON DELETE CASCADE,
    -- SHA-256 of the unused codes, as a JSON array.
    digests TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
