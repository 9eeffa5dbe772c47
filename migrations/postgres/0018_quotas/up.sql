-- How long the JSON of an item is, and how long it was before its last write; NULL: written before this was counted.
ALTER TABLE items ADD COLUMN bytes bigint, ADD COLUMN bytes_before bigint;

-- What a project keeps, counted by the statements that write its items, in a few rows so that writers rarely wait for each
-- other. A row may grow up to its share of the quota, which is given out in pieces: so the sum never exceeds the quota,
-- however many write at once. A row may fall below zero: what one row counted, another may see go.
CREATE TABLE project_usage (
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    shard smallint NOT NULL,
    items bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    max_items bigint NOT NULL DEFAULT 0,
    max_bytes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, shard),
    CONSTRAINT project_usage_items CHECK (items <= max_items),
    CONSTRAINT project_usage_bytes CHECK (bytes <= max_bytes)
) WITH (fillfactor = 50);

INSERT INTO project_usage (project_id, shard) SELECT p.id, s FROM projects p CROSS JOIN generate_series(0, 7) s;
UPDATE project_usage u SET items = c.items, bytes = c.bytes, max_items = c.items, max_bytes = c.bytes
FROM (SELECT project_id, count(*) AS items, sum(octet_length(value::text)) AS bytes FROM items GROUP BY project_id) c
WHERE u.project_id = c.project_id AND u.shard = 0;
