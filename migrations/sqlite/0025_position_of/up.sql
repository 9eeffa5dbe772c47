-- Only PostgreSQL has this function. SQLite has the same migrations, so that their versions mean the same.
SELECT 1;
