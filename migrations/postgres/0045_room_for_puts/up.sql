-- Longer than `deadlock_timeout`: only then does PostgreSQL cancel an autovacuum. The lock stops neither reads nor writes.
SET LOCAL lock_timeout = '5s';
-- A put of an item in a full page writes two pages and the entries of both indexes. With some room in each page it writes one
-- page. Applies to pages that are filled from now on.
ALTER TABLE items SET (fillfactor = 90);
