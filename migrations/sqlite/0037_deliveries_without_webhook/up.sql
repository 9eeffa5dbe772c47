-- A webhook can have millions of attempts, which would be deleted in one statement with it. They end by their age instead, and
-- nobody reads them without their webhook. SQLite cannot drop a foreign key; this is its documented way for changes that leave
-- the rows as they are (https://www.sqlite.org/lang_altertable.html#otheralter).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES webhooks ON DELETE CASCADE', '')
WHERE type = 'table' AND name = 'deliveries';
PRAGMA writable_schema = RESET;
