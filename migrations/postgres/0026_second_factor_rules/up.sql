-- The time from which members of the team, or people who sign in to the project, have to use a second factor.
ALTER TABLE teams ADD COLUMN second_factor_from timestamptz;
ALTER TABLE projects ADD COLUMN second_factor_from timestamptz;
