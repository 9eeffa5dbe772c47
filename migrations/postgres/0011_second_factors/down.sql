DROP TABLE recovery_codes;
DROP TABLE authenticator_apps;
ALTER TABLE authorization_requests DROP COLUMN acr;
ALTER TABLE token_families DROP COLUMN methods;
ALTER TABLE authorization_codes DROP COLUMN methods;
ALTER TABLE sessions DROP COLUMN methods;
