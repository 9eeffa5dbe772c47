-- Changes to a schema that a person has not published yet. Constraints instead of indexes, because they are created
-- with the table: (account_id, ...) for the deletion of an account, (updated_at, ...) for the deletion of old drafts.
CREATE TABLE schema_drafts (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    -- How it is edited: `tables` (the inputs of the form, as JSON) or `json` (the text of the document).
    editor text NOT NULL CHECK (editor IN ('tables', 'json')),
    content text NOT NULL,
    -- The version that was edited; 0 before the first publication.
    based_on integer NOT NULL CHECK (based_on >= 0),
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (project_id, account_id),
    UNIQUE (account_id, project_id),
    UNIQUE (updated_at, project_id, account_id)
);
