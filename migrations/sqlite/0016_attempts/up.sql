-- Attempts at secrets, counted by all replicas together: when each would be at rest, in microseconds of Unix time. Whose they
-- are is a digest.
CREATE TABLE attempts (
    digest TEXT PRIMARY KEY,
    at_rest INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_at_rest ON attempts (at_rest);

-- From where an account was signed in to, as a digest.
CREATE TABLE sign_in_networks (
    account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
    digest TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    PRIMARY KEY (account_id, digest)
) STRICT;
CREATE INDEX sign_in_networks_seen ON sign_in_networks (seen_at);
