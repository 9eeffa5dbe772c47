-- The fields by which items are found and ordered fast. `new`: writes may be under way that do not see it yet; `filling`:
-- every write keeps its keys, items from before are keyed step by step, up to the place that is kept; `filled`: every item
-- has its key; `retired`: no write keeps its keys any more, and they are being removed.
CREATE TABLE indexed_fields (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
    table_name text COLLATE "C" NOT NULL,
    field text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('string', 'number', 'boolean')),
    state text NOT NULL CHECK (state IN ('new', 'filling', 'filled', 'retired')),
    -- A transaction that began after the field could be seen.
    seen_by xid8,
    filled_user uuid NOT NULL,
    filled_table text COLLATE "C" NOT NULL,
    filled_item text COLLATE "C" NOT NULL
);
CREATE INDEX indexed_fields_table ON indexed_fields (project_id, table_name);
CREATE UNIQUE INDEX indexed_fields_once ON indexed_fields (project_id, table_name, field) WHERE state <> 'retired';
CREATE INDEX indexed_fields_open ON indexed_fields (id) WHERE state <> 'filled';

-- What an item is found by: its value of one field, or null where it has none of the field's type. Without a
-- foreign key, for which every write would lock the row of the field.
CREATE TABLE item_keys (
    field_id bigint NOT NULL,
    owner_id uuid NOT NULL,
    item_id text COLLATE "C" NOT NULL,
    is_text boolean NOT NULL,
    text_key text COLLATE "C",
    number_key numeric,
    -- Not by field first, or PostgreSQL may take it for a way to the keys of a user, and read them all.
    PRIMARY KEY (owner_id, item_id, field_id)
);
-- Null comes last in both directions, so each direction takes an index of its own.
CREATE INDEX item_keys_text ON item_keys (field_id, owner_id, text_key, item_id) WHERE is_text;
CREATE INDEX item_keys_text_down ON item_keys (field_id, owner_id, text_key DESC NULLS LAST, item_id DESC) WHERE is_text;
CREATE INDEX item_keys_number ON item_keys (field_id, owner_id, number_key, item_id) WHERE NOT is_text;
CREATE INDEX item_keys_number_down ON item_keys (field_id, owner_id, number_key DESC NULLS LAST, item_id DESC)
    WHERE NOT is_text;

-- Triggers, so that no writer can forget it, nor one of the version before that still runs. Texts are kept by their first 200
-- characters; whole numbers of 64 bits exactly, all others as doubles; false as 0 and true as 1.
CREATE FUNCTION keep_item_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO item_keys (field_id, owner_id, item_id, is_text, text_key, number_key)
    SELECT f.id, NEW.user_id, NEW.id, f.kind = 'string',
        CASE WHEN f.kind = 'string' AND jsonb_typeof(NEW.value -> f.field) = 'string'
            THEN substr(NEW.value ->> f.field, 1, 200) END,
        CASE
            WHEN f.kind = 'string' OR jsonb_typeof(NEW.value -> f.field) IS DISTINCT FROM f.kind THEN NULL
            WHEN f.kind = 'boolean' THEN (NEW.value ->> f.field)::boolean::integer
            WHEN (NEW.value ->> f.field)::numeric BETWEEN -9223372036854775808 AND 9223372036854775807
                THEN (NEW.value ->> f.field)::numeric
            ELSE (NEW.value ->> f.field)::float8::text::numeric
        END
    FROM indexed_fields f
    WHERE f.project_id = NEW.project_id AND f.table_name = NEW.table_name AND f.state <> 'retired'
    ON CONFLICT (field_id, owner_id, item_id)
        DO UPDATE SET text_key = excluded.text_key, number_key = excluded.number_key
        WHERE item_keys.text_key IS DISTINCT FROM excluded.text_key
            OR item_keys.number_key IS DISTINCT FROM excluded.number_key;
    RETURN NULL;
END
$$;
CREATE TRIGGER items_keys AFTER INSERT OR UPDATE OF value ON items FOR EACH ROW EXECUTE FUNCTION keep_item_keys();

-- Once a statement: a user goes with all of their items.
CREATE FUNCTION drop_item_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM item_keys k USING gone g, indexed_fields f
    WHERE f.project_id = g.project_id AND f.table_name = g.table_name
        AND k.field_id = f.id AND k.owner_id = g.user_id AND k.item_id = g.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER items_keys_gone AFTER DELETE ON items REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION drop_item_keys();

-- What is published already.
INSERT INTO indexed_fields (project_id, table_name, field, kind, state, filled_user, filled_table, filled_item)
SELECT v.project_id, t.key, f.key, f.value ->> 'type', 'new', '00000000-0000-0000-0000-000000000000', '', ''
FROM schema_versions v, json_each(v.document -> 'tables') t, json_each(t.value -> 'fields') f
WHERE v.number = (SELECT max(w.number) FROM schema_versions w WHERE w.project_id = v.project_id)
    AND f.value ->> 'indexed' = 'true' AND f.value ->> 'type' IN ('string', 'number', 'boolean');
