-- Items that were deleted in the console a few minutes ago, so that the deletion can be undone. They end with their
-- user. Constraints instead of indexes, because they are created with the table: (project_id, user_id, ...) for the
-- deletions of a user, (expires_at, ...) for the deletion of expired rows.
CREATE TABLE item_deletions (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    table_name text NOT NULL,
    -- The account that deleted the items, and alone can undo it.
    deleted_by uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    item_count bigint NOT NULL,
    bytes bigint NOT NULL,
    -- A JSON array: of each item the ID, when it was created, and the text of its value.
    items text NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, user_id, id),
    UNIQUE (expires_at, project_id, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);
