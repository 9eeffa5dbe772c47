DROP TRIGGER items_keys_delete;
DROP TRIGGER items_keys_update;
DROP TRIGGER items_keys_insert;
DROP VIEW keys_of_items;
DROP TABLE item_keys;
DROP TABLE indexed_fields;
