-- A put of an item in a full page writes two pages and the entries of both indexes. With some room in each page it writes one
-- page. Applies to pages that are filled from now on.
ALTER TABLE items SET (fillfactor = 90);
