PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'webhook_id TEXT NOT NULL', 'webhook_id TEXT NOT NULL REFERENCES webhooks ON DELETE CASCADE')
WHERE type = 'table' AND name = 'deliveries';
PRAGMA writable_schema = RESET;
