DROP INDEX project_users_of_account;
