-- Keys in devices and password managers, with which people sign in (WebAuthn).
CREATE TABLE passkeys (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    credential_id bytea NOT NULL CONSTRAINT passkeys_credential UNIQUE,
    name text NOT NULL,
    -- The public key, the counter and the properties of the authenticator, as JSON.
    credential text NOT NULL,
    is_synced boolean NOT NULL,
    -- When the last challenge that it answered was issued: each challenge is answered once.
    last_challenge timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    last_used timestamptz NOT NULL,
    revision bigint NOT NULL,
    -- For the passkeys of an account.
    CONSTRAINT passkeys_account UNIQUE (account_id, id)
);
