-- The same function in a language that keeps the plan. In SQL it was planned each time, which took longer than reading the
-- events, and Citus plans no statement of such a function that has parameters and reads distributed tables.
CREATE OR REPLACE FUNCTION position_of(transaction bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    found bigint := (SELECT coalesce(
        (SELECT (domain << 34) + (least(transaction - first_transaction, 16777216) << 10) FROM position_domains
            WHERE life = server_life() AND first_transaction <= transaction ORDER BY first_transaction DESC LIMIT 1),
        (SELECT min(domain) << 34 FROM position_domains WHERE life = server_life())));
BEGIN
    IF found IS NULL THEN
        found := greatest(
            (SELECT (coalesce(max(domain), 0) + 1) << 34 FROM position_domains),
            (SELECT max(position) + 1 FROM audit_events),
            (SELECT max(position) + 1 FROM item_changes));
    END IF;
    RETURN found;
END
$$;
