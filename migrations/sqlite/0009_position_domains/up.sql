-- Positions of events (docs/decisions/0047-position-domains.md): 19 bits for the domain, and 34 bits that count within the
-- domain. Each process that writes events opens a domain, so a restored database never gives a position twice.
CREATE TABLE position_domains (
    domain INTEGER PRIMARY KEY CHECK (domain BETWEEN 1 AND 524287),
    -- A random number of the process that opened the domain.
    life INTEGER NOT NULL,
    -- Unused: PostgreSQL counts transactions.
    first_transaction INTEGER NOT NULL,
    -- How often the database was restored: grows with the domains.
    history INTEGER NOT NULL,
    -- `sqlite`, or the source of a restored row.
    cluster TEXT NOT NULL,
    -- In hours since the Unix epoch.
    opened_hour INTEGER NOT NULL,
    -- Positions between this one and the start of the domain may have been given to events that are not in this database.
    after_position INTEGER NOT NULL,
    UNIQUE (life, first_transaction)
) STRICT;

-- Position up to which devices received changes. All events up to here are in this database.
ALTER TABLE audit_progress ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0;
UPDATE audit_progress SET delivered = max(coalesce((SELECT max(position) FROM audit_events), 0),
    coalesce((SELECT max(position) FROM item_changes), 0), position);
