-- Earlier versions expect the redirect URI of each request and code.
DELETE FROM authorization_codes WHERE redirect_uri = '';
DELETE FROM authorization_requests WHERE device_id IS NOT NULL;
ALTER TABLE authorization_requests DROP COLUMN device_id;
DROP TABLE device_authorizations;
