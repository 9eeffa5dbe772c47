-- Imports of items that run in the background, the records of their files until they are imported, and the lines that do
-- not fit. They end with the user who owns the items. Constraints instead of indexes, because they are created with the
-- table: (project_id, user_id, ...) for the imports of a user, (has_work, ...) for the background job, (updated_at, ...) for
-- the deletion of old rows.
CREATE TABLE item_imports (
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    -- The person who started it. Each step needs their permission.
    account_id TEXT NOT NULL,
    table_name TEXT NOT NULL,
    is_check INTEGER NOT NULL,
    -- The header of a CSV file, as a JSON array.
    header TEXT,
    state TEXT NOT NULL CHECK (state IN ('uploading', 'running', 'done', 'failed', 'canceled')),
    -- Whether it has not ended, or records of its file are not deleted yet.
    has_work INTEGER NOT NULL,
    message TEXT NOT NULL,
    -- The size of the records, and their numbers of portions and lines.
    bytes INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    next_chunk INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    -- The number of rows in item_import_problems.
    problems INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, user_id, id),
    UNIQUE (has_work, project_id, id),
    UNIQUE (updated_at, project_id, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE item_import_chunks (
    project_id TEXT NOT NULL,
    import_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    -- A JSON array of the records: the number of the line, and its cells or its text.
    records TEXT NOT NULL,
    PRIMARY KEY (project_id, import_id, number),
    FOREIGN KEY (project_id, import_id) REFERENCES item_imports (project_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE item_import_problems (
    project_id TEXT NOT NULL,
    import_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    line INTEGER NOT NULL,
    -- The column or field; NULL if the problem is that of the whole line.
    field TEXT,
    message TEXT NOT NULL,
    PRIMARY KEY (project_id, import_id, number),
    FOREIGN KEY (project_id, import_id) REFERENCES item_imports (project_id, id) ON DELETE CASCADE
) STRICT;
