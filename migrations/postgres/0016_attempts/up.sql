-- Attempts at secrets, counted by all replicas together: when each would be at rest, in microseconds of Unix time. Whose they
-- are is a digest.
CREATE TABLE attempts (
    digest text PRIMARY KEY,
    at_rest bigint NOT NULL
);
CREATE INDEX attempts_at_rest ON attempts (at_rest);

-- From where an account was signed in to, as a digest.
CREATE TABLE sign_in_networks (
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    digest text NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, digest)
);
CREATE INDEX sign_in_networks_seen ON sign_in_networks (seen_at);
