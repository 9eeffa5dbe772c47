DROP INDEX email_links_email;
