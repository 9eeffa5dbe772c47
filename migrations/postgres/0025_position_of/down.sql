CREATE OR REPLACE FUNCTION position_of(transaction bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
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
