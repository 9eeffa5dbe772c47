DROP INDEX user_activity_age;
