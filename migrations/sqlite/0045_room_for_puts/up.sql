-- Only PostgreSQL has pages with room for updates. SQLite has the same migrations, so that their versions mean the same.
SELECT 1;
