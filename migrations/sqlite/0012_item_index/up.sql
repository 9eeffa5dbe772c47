-- The fields by which items are found and ordered fast. `new`: just published; `filling`: every write keeps its keys, items
-- from before are keyed step by step, up to the place that is kept; `filled`: every item has its key; `retired`: no write
-- keeps its keys any more, and they are being removed.
CREATE TABLE indexed_fields (
    id INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
    table_name TEXT NOT NULL,
    field TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('string', 'number', 'boolean')),
    state TEXT NOT NULL CHECK (state IN ('new', 'filling', 'filled', 'retired')),
    filled_user TEXT NOT NULL,
    filled_table TEXT NOT NULL,
    filled_item TEXT NOT NULL
) STRICT;
CREATE INDEX indexed_fields_table ON indexed_fields (project_id, table_name);
CREATE UNIQUE INDEX indexed_fields_once ON indexed_fields (project_id, table_name, field) WHERE state <> 'retired';
CREATE INDEX indexed_fields_open ON indexed_fields (id) WHERE state <> 'filled';

-- What an item is found by: its value of one field, or null where it has none of the field's type. Numbers are whole or
-- not as they are in the item. Unlike in PostgreSQL one index serves both directions.
CREATE TABLE item_keys (
    field_id INTEGER NOT NULL,
    owner_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    is_text INTEGER NOT NULL,
    text_key TEXT,
    number_key ANY,
    PRIMARY KEY (field_id, owner_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_keys_text ON item_keys (field_id, owner_id, text_key, item_id) WHERE is_text;
CREATE INDEX item_keys_number ON item_keys (field_id, owner_id, number_key, item_id) WHERE NOT is_text;

-- The keys that items ought to have: texts by their first 200 characters; false is 0 and true is 1. The fields are looked at
-- first (CROSS JOIN): most tables have none.
CREATE VIEW keys_of_items AS
SELECT f.id AS field_id, f.state, f.project_id, i.user_id, f.table_name, i.id AS item_id, f.kind = 'string' AS is_text,
    CASE WHEN f.kind = 'string' AND json_type(i.value, '$."' || f.field || '"') = 'text'
        THEN substr(json_extract(i.value, '$."' || f.field || '"'), 1, 200) END AS text_key,
    CASE WHEN f.kind = 'number' AND json_type(i.value, '$."' || f.field || '"') IN ('integer', 'real')
            OR f.kind = 'boolean' AND json_type(i.value, '$."' || f.field || '"') IN ('true', 'false')
        THEN json_extract(i.value, '$."' || f.field || '"') END AS number_key
FROM indexed_fields f CROSS JOIN items i ON i.project_id = f.project_id AND i.table_name = f.table_name;

-- Triggers, so that no writer can forget it.
CREATE TRIGGER items_keys_insert AFTER INSERT ON items BEGIN
    INSERT INTO item_keys (field_id, owner_id, item_id, is_text, text_key, number_key)
    SELECT k.field_id, k.user_id, k.item_id, k.is_text, k.text_key, k.number_key FROM keys_of_items k
    WHERE k.project_id = NEW.project_id AND k.user_id = NEW.user_id AND k.table_name = NEW.table_name
        AND k.item_id = NEW.id AND k.state <> 'retired'
    ON CONFLICT (field_id, owner_id, item_id)
        DO UPDATE SET text_key = excluded.text_key, number_key = excluded.number_key
        WHERE item_keys.text_key IS NOT excluded.text_key OR item_keys.number_key IS NOT excluded.number_key;
END;
CREATE TRIGGER items_keys_update AFTER UPDATE OF value ON items BEGIN
    INSERT INTO item_keys (field_id, owner_id, item_id, is_text, text_key, number_key)
    SELECT k.field_id, k.user_id, k.item_id, k.is_text, k.text_key, k.number_key FROM keys_of_items k
    WHERE k.project_id = NEW.project_id AND k.user_id = NEW.user_id AND k.table_name = NEW.table_name
        AND k.item_id = NEW.id AND k.state <> 'retired'
    ON CONFLICT (field_id, owner_id, item_id)
        DO UPDATE SET text_key = excluded.text_key, number_key = excluded.number_key
        WHERE item_keys.text_key IS NOT excluded.text_key OR item_keys.number_key IS NOT excluded.number_key;
END;
CREATE TRIGGER items_keys_delete AFTER DELETE ON items BEGIN
    DELETE FROM item_keys WHERE owner_id = OLD.user_id AND item_id = OLD.id AND field_id IN
        (SELECT f.id FROM indexed_fields f WHERE f.project_id = OLD.project_id AND f.table_name = OLD.table_name);
END;

-- What is published already.
INSERT INTO indexed_fields (project_id, table_name, field, kind, state, filled_user, filled_table, filled_item)
SELECT v.project_id, t.key, f.key, json_extract(f.value, '$.type'), 'new', '00000000-0000-0000-0000-000000000000', '', ''
FROM schema_versions v, json_each(v.document, '$.tables') t, json_each(t.value, '$.fields') f
WHERE v.number = (SELECT max(w.number) FROM schema_versions w WHERE w.project_id = v.project_id)
    AND json_extract(f.value, '$.indexed') = 1 AND json_extract(f.value, '$.type') IN ('string', 'number', 'boolean');
