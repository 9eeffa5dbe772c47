-- When someone other than the holder of the session first confirmed the address: what the account gave to others before counts no more.
ALTER TABLE accounts ADD COLUMN authority_since TEXT;
