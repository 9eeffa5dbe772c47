DROP INDEX token_families_client;
