-- When the second factors and passkeys of the account are removed, if that was requested.
ALTER TABLE accounts ADD COLUMN factors_removal_at timestamptz;
