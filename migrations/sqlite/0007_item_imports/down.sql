DROP TABLE item_import_problems;
DROP TABLE item_import_chunks;
DROP TABLE item_imports;
