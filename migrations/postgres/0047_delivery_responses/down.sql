ALTER TABLE deliveries DROP COLUMN response_body;
