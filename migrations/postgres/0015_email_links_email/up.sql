CREATE INDEX CONCURRENTLY IF NOT EXISTS email_links_email ON email_links (email);
