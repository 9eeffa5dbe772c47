-- Positions of events (docs/decisions/0047-position-domains.md): 19 bits for the domain, 24 bits for the transaction, and
-- 10 bits for the write within the transaction. A domain is a range of the transaction IDs of one start of the database
-- server, so a restored database never gives a position twice.
CREATE TABLE position_domains (
    domain bigint PRIMARY KEY CHECK (domain BETWEEN 1 AND 524287),
    -- The start of the database server: `server_life()`.
    life bigint NOT NULL,
    -- The domain contains 2^24 transaction IDs, beginning with this one.
    first_transaction bigint NOT NULL,
    -- How often the database was restored or moved: grows with the domains.
    history bigint NOT NULL,
    -- The cluster and its timeline: `server_cluster()`.
    cluster text NOT NULL,
    -- In hours since the Unix epoch.
    opened_hour bigint NOT NULL,
    -- Positions between this one and the start of the domain may have been given to events that are not in this database.
    after_position bigint NOT NULL,
    UNIQUE (life, first_transaction)
);

-- Position up to which devices received changes. All events up to here are in this database.
ALTER TABLE audit_progress ADD COLUMN delivered bigint NOT NULL DEFAULT settled_position() - 1;
ALTER TABLE audit_progress ALTER COLUMN delivered SET DEFAULT 0;

-- The start of the database server, in microseconds since the Unix epoch, combined with the ID of the table, which differs in a
-- database that was restored on the same server.
CREATE FUNCTION server_life() RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
        # (''position_domains''::regclass::oid::bigint << 20)';

-- The cluster and its timeline, which changes with a promotion or a recovery to a point in time. Some hosted servers refuse
-- these functions.
CREATE FUNCTION server_cluster() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
        FROM pg_control_system());
EXCEPTION WHEN feature_not_supported OR object_not_in_prerequisite_state OR insufficient_privilege THEN
    RETURN 'unknown';
END
$$;

-- The first position of the current transaction: no row if its domain must be opened first.
CREATE VIEW transaction_position AS
    SELECT (d.domain << 34) + ((t.id - d.first_transaction) << 10) AS base
    FROM (SELECT pg_current_xact_id()::text::bigint AS id OFFSET 0) AS t
    CROSS JOIN LATERAL (
        SELECT domain, first_transaction FROM position_domains
        WHERE life = server_life() AND first_transaction <= t.id ORDER BY first_transaction DESC LIMIT 1
    ) AS d
    WHERE t.id - d.first_transaction < 16777216;

-- The position before which all events belong to transactions with lower IDs than this one, or to earlier domains.
CREATE FUNCTION position_of(transaction bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        (SELECT (domain << 34) + (least(transaction - first_transaction, 16777216) << 10) FROM position_domains
            WHERE life = server_life() AND first_transaction <= transaction ORDER BY first_transaction DESC LIMIT 1),
        (SELECT min(domain) << 34 FROM position_domains WHERE life = server_life()),
        greatest(
            (SELECT (coalesce(max(domain), 0) + 1) << 34 FROM position_domains),
            (SELECT max(position) + 1 FROM audit_events),
            (SELECT max(position) + 1 FROM item_changes)
        )
    )
$$;

-- Every transaction that writes below this position has ended.
CREATE OR REPLACE FUNCTION settled_position() RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT position_of(pg_snapshot_xmin(pg_current_snapshot())::text::bigint)';

DROP FUNCTION event_position;
DROP FUNCTION position_offset;
