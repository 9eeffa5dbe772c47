CREATE FUNCTION position_offset() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 0::bigint';
CREATE FUNCTION event_position(number bigint) RETURNS bigint LANGUAGE sql VOLATILE
    AS 'SELECT (pg_current_xact_id()::text::bigint + position_offset()) * 4096 + number';
CREATE OR REPLACE FUNCTION settled_position() RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + position_offset()) * 4096';
DROP FUNCTION position_of;
DROP VIEW transaction_position;
DROP FUNCTION server_cluster;
DROP FUNCTION server_life;
ALTER TABLE audit_progress DROP COLUMN delivered;
DROP TABLE position_domains;
