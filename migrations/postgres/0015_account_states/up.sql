-- A disabled account has no credential that works. Of a deleted one the row stays, emptied, for what still names its id.
ALTER TABLE accounts ADD COLUMN disabled_at timestamptz;
ALTER TABLE accounts ADD COLUMN deleted_at timestamptz;
CREATE INDEX accounts_age ON accounts (created_at, id);
