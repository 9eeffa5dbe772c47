-- A request that carries an Idempotency-Key: claimed before it is done, answered after.
CREATE TABLE idempotency_claims (
    id TEXT NOT NULL UNIQUE,
    caller TEXT NOT NULL,
    key_digest TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    leased_until TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    is_effective INTEGER NOT NULL,
    answer BLOB,
    PRIMARY KEY (caller, key_digest)
) STRICT;
CREATE INDEX idempotency_claims_expiry ON idempotency_claims (expires_at);

CREATE TABLE personal_tokens (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    label TEXT NOT NULL,
    roles TEXT NOT NULL,
    teams TEXT NOT NULL,
    projects TEXT NOT NULL,
    pepper INTEGER NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    last_used TEXT,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX personal_tokens_account ON personal_tokens (account_id, created_at DESC, id DESC);
CREATE INDEX personal_tokens_expiry ON personal_tokens (expires_at);
