-- A request that carries an Idempotency-Key: claimed before it is done, answered after.
CREATE TABLE idempotency_claims (
    id uuid NOT NULL CONSTRAINT idempotency_claims_id UNIQUE,
    caller text NOT NULL,
    key_digest text NOT NULL,
    fingerprint text NOT NULL,
    leased_until timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    is_effective boolean NOT NULL,
    answer bytea,
    PRIMARY KEY (caller, key_digest)
);
CREATE INDEX idempotency_claims_expiry ON idempotency_claims (expires_at);

CREATE TABLE personal_tokens (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    label text NOT NULL,
    roles text NOT NULL,
    teams json NOT NULL,
    projects json NOT NULL,
    pepper bigint NOT NULL,
    digest text NOT NULL CONSTRAINT personal_tokens_digest UNIQUE,
    hint text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_used timestamptz,
    revision bigint NOT NULL
);
CREATE INDEX personal_tokens_account ON personal_tokens (account_id, created_at DESC, id DESC);
CREATE INDEX personal_tokens_expiry ON personal_tokens (expires_at);
