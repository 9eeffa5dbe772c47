CREATE UNIQUE INDEX api_keys_earlier_digest ON api_keys (earlier_digest);
