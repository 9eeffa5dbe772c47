ALTER TABLE items RESET (fillfactor);
