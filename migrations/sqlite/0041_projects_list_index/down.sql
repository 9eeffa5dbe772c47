DROP INDEX projects_list;
