-- The account that registered a client or added a provider, and the one that last set what it authenticates with or where it
-- sends people. Null in rows of older versions, and if no account did. Not a reference: they are only compared with members.
ALTER TABLE project_clients ADD COLUMN created_by uuid;
ALTER TABLE project_clients ADD COLUMN configured_by uuid;
ALTER TABLE identity_providers ADD COLUMN created_by uuid;
ALTER TABLE identity_providers ADD COLUMN configured_by uuid;
