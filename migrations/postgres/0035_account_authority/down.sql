ALTER TABLE accounts DROP COLUMN authority_since;
