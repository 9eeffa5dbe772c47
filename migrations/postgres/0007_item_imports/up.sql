-- Imports of items that run in the background, the records of their files until they are imported, and the lines that do
-- not fit. They end with the user who owns the items. Constraints instead of indexes, because they are created with the
-- table: (project_id, user_id, ...) for the imports of a user, (has_work, ...) for the background job, (updated_at, ...) for
-- the deletion of old rows.
CREATE TABLE item_imports (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    -- The person who started it. Each step needs their permission.
    account_id uuid NOT NULL,
    table_name text NOT NULL,
    is_check boolean NOT NULL,
    -- The header of a CSV file, as a JSON array.
    header text,
    state text NOT NULL CHECK (state IN ('uploading', 'running', 'done', 'failed', 'canceled')),
    -- Whether it has not ended, or records of its file are not deleted yet.
    has_work boolean NOT NULL,
    message text NOT NULL,
    -- The size of the records, and their numbers of portions and lines.
    bytes bigint NOT NULL,
    chunks bigint NOT NULL,
    next_chunk bigint NOT NULL,
    lines bigint NOT NULL,
    stored bigint NOT NULL,
    refused bigint NOT NULL,
    -- The number of rows in item_import_problems.
    problems bigint NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, user_id, id),
    UNIQUE (has_work, project_id, id),
    UNIQUE (updated_at, project_id, id),
    FOREIGN KEY (project_id, user_id) REFERENCES project_users (project_id, id) ON DELETE CASCADE
);

CREATE TABLE item_import_chunks (
    project_id uuid NOT NULL,
    import_id uuid NOT NULL,
    number bigint NOT NULL,
    -- A JSON array of the records: the number of the line, and its cells or its text.
    records text NOT NULL,
    PRIMARY KEY (project_id, import_id, number),
    FOREIGN KEY (project_id, import_id) REFERENCES item_imports (project_id, id) ON DELETE CASCADE
);

CREATE TABLE item_import_problems (
    project_id uuid NOT NULL,
    import_id uuid NOT NULL,
    number bigint NOT NULL,
    line bigint NOT NULL,
    -- The column or field; NULL if the problem is that of the whole line.
    field text,
    message text NOT NULL,
    PRIMARY KEY (project_id, import_id, number),
    FOREIGN KEY (project_id, import_id) REFERENCES item_imports (project_id, id) ON DELETE CASCADE
);
