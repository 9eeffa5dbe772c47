-- Keys in devices and password managers, with which people sign in (WebAuthn).
CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    credential_id BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- The public key, the counter and the properties of the authenticator, as JSON.
    credential TEXT NOT NULL,
    is_synced INTEGER NOT NULL,
    -- When the last challenge that it answered was issued: each challenge is answered once.
    last_challenge TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_used TEXT NOT NULL,
    revision INTEGER NOT NULL,
    -- For the passkeys of an account.
    CONSTRAINT passkeys_account UNIQUE (account_id, id)
) STRICT;
