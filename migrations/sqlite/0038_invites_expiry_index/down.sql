DROP INDEX invites_expiry;
