-- How the person signed in: names of methods, separated by spaces.
ALTER TABLE sessions ADD COLUMN methods text NOT NULL DEFAULT 'password';
ALTER TABLE authorization_codes ADD COLUMN methods text NOT NULL DEFAULT 'password';
ALTER TABLE token_families ADD COLUMN methods text NOT NULL DEFAULT 'password';

-- The assurance that the client asks for (`acr_values`). NULL: any.
ALTER TABLE authorization_requests ADD COLUMN acr text;

-- Programs that show one-time codes (RFC 6238).
CREATE TABLE authenticator_apps (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL CONSTRAINT authenticator_apps_account UNIQUE REFERENCES accounts ON DELETE CASCADE,
    -- Encrypted with the server secret.
    key bytea NOT NULL,
    -- The time step of the last code that was used.
    last_step bigint NOT NULL,
    created_at timestamptz NOT NULL,
    last_used timestamptz NOT NULL,
    revision bigint NOT NULL
);

-- Codes that each replace a lost second factor once.
CREATE TABLE recovery_codes (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL CONSTRAINT recovery_codes_account UNIQUE REFERENCES accounts ON DELETE CASCADE,
    -- SHA-256 of the unused codes, as a JSON array.
    digests text NOT NULL,
    created_at timestamptz NOT NULL,
    revision bigint NOT NULL
);
