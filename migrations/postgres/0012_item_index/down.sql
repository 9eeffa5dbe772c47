DROP TRIGGER items_keys_gone ON items;
DROP TRIGGER items_keys ON items;
DROP FUNCTION drop_item_keys;
DROP FUNCTION keep_item_keys;
DROP TABLE item_keys;
DROP TABLE indexed_fields;
