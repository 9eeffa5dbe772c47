DROP INDEX refresh_tokens_current;
