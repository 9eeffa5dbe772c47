-- Numbers of users by day, so that statistics need not read all users and all their days.
CREATE TABLE activity_counts (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    day TEXT NOT NULL,
    -- Number of users who were active on this day.
    active INTEGER NOT NULL,
    -- Number of users who were last active on this day.
    latest INTEGER NOT NULL,
    PRIMARY KEY (project_id, day)
) STRICT, WITHOUT ROWID;
