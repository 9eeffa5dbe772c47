DROP TABLE project_slugs;
DROP TABLE team_slugs;
