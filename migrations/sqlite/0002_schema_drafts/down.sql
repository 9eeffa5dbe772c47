DROP TABLE schema_drafts;
