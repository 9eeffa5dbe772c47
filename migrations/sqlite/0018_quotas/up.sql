-- How long the JSON of an item is, and how long it was before its last write; NULL: written before this was counted.
ALTER TABLE items ADD COLUMN bytes INTEGER;
ALTER TABLE items ADD COLUMN bytes_before INTEGER;

-- What a project keeps, counted by the statements that write its items. A row may grow up to its share of the quota, which
-- is given out in pieces: so the sum never exceeds the quota. The rows are those of PostgreSQL, where they keep writers
-- from waiting for each other.
CREATE TABLE project_usage (
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    shard INTEGER NOT NULL,
    items INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    max_items INTEGER NOT NULL DEFAULT 0,
    max_bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, shard),
    CONSTRAINT project_usage_items CHECK (items <= max_items),
    CONSTRAINT project_usage_bytes CHECK (bytes <= max_bytes)
) STRICT, WITHOUT ROWID;

WITH RECURSIVE shards (shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM shards WHERE shard < 7)
INSERT INTO project_usage (project_id, shard) SELECT p.id, s.shard FROM projects p CROSS JOIN shards s;
UPDATE project_usage SET (items, bytes, max_items, max_bytes) =
    (SELECT count(*), coalesce(sum(length(CAST(i.value AS BLOB))), 0), count(*),
        coalesce(sum(length(CAST(i.value AS BLOB))), 0) FROM items i WHERE i.project_id = project_usage.project_id)
WHERE shard = 0;
