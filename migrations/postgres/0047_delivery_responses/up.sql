-- The beginning of what the receiver responded, which ends with its attempt.
ALTER TABLE deliveries ADD COLUMN response_body text;
