-- The language of the person, as a tag (BCP 47): that of the page which they used first. Emails are written in it.
ALTER TABLE accounts ADD COLUMN language text;
