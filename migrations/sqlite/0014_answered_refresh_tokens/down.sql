DROP INDEX refresh_tokens_answered;
