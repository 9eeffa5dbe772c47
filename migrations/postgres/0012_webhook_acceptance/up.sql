-- Whether the receiver accepted other events while one fails: then new events do not wait for the next attempt.
ALTER TABLE webhooks ADD COLUMN accepts_others boolean NOT NULL DEFAULT false;
