-- Numbers of users by day, so that statistics need not read all users and all their days.
CREATE TABLE activity_counts (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    day date NOT NULL,
    -- Number of users who were active on this day.
    active bigint NOT NULL,
    -- Number of users who were last active on this day.
    latest bigint NOT NULL,
    PRIMARY KEY (project_id, day)
);
