CREATE INDEX email_links_email ON email_links (email);
