-- A disabled account has no credential that works. Of a deleted one the row stays, emptied, for what still names its id.
ALTER TABLE accounts ADD COLUMN disabled_at TEXT;
ALTER TABLE accounts ADD COLUMN deleted_at TEXT;
CREATE INDEX accounts_age ON accounts (created_at, id);
