DROP TABLE item_deletions;
