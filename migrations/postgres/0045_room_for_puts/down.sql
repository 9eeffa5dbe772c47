-- Longer than `deadlock_timeout`: only then does PostgreSQL cancel an autovacuum. The lock stops neither reads nor writes.
SET LOCAL lock_timeout = '5s';
ALTER TABLE items RESET (fillfactor);
