DROP TABLE personal_tokens;
DROP TABLE idempotency_claims;
