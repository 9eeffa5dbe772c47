-- Items that were deleted in the console a few minutes ago, so that the deletion can be undone. They end with their
-- user. Constraints instead of indexes, because they are created with the table: (project_id, user_id, ...) for the
-- deletions of a user, (expires_at, ...) for the deletion of expired rows.
CREATE TABLE item_deletions (
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    -- The account that deleted the items, and alone can undo it.
    deleted_by TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    item_count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    -- A JSON array: of each item the ID, when it was created, and the text of its value.
    items TEXT NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, user_id, id),
    UNIQUE (expires_at, project_id, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
) STRICT;
