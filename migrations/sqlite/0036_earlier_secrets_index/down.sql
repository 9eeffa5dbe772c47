DROP INDEX api_keys_earlier_digest;
