DROP INDEX accounts_age;
ALTER TABLE accounts DROP COLUMN deleted_at;
ALTER TABLE accounts DROP COLUMN disabled_at;
