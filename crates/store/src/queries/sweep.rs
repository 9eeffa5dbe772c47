//! Removes what has expired, a bounded number of rows at a time.

use diesel::RunQueryDsl as _;
use diesel::sql_types::BigInt;
use steward_domain::model::Time;
use steward_domain::ports::SweepMoments;

use super::Conn;
use crate::error::Fault;
use crate::sql_types::{At, Instant};

/// One statement for each kind of thing: $1 is the moment, $2 how many. Diesel's query builder has no bounded DELETE.
const ENDED: [&str; 5] = [
    "DELETE FROM authorization_requests WHERE id IN \
     (SELECT id FROM authorization_requests WHERE expires_at < $1 LIMIT $2)",
    "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < $1 LIMIT $2)",
    "DELETE FROM email_links WHERE id IN (SELECT id FROM email_links WHERE expires_at < $1 LIMIT $2)",
    "DELETE FROM idempotency_claims WHERE id IN (SELECT id FROM idempotency_claims WHERE expires_at < $1 LIMIT $2)",
    "DELETE FROM personal_tokens WHERE id IN (SELECT id FROM personal_tokens WHERE expires_at < $1 LIMIT $2)",
];
const FORGOTTEN: [&str; 3] = [
    "DELETE FROM authorization_codes WHERE family_id IN \
     (SELECT family_id FROM authorization_codes WHERE expires_at < $1 LIMIT $2)",
    "DELETE FROM refresh_tokens WHERE id IN (SELECT id FROM refresh_tokens WHERE expires_at < $1 LIMIT $2)",
    "DELETE FROM token_families WHERE id IN (SELECT f.id FROM token_families f WHERE f.created_at < $1 \
     AND NOT EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.family_id = f.id) LIMIT $2)",
];
const DELIVERED: [&str; 1] = ["DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE at < $1 LIMIT $2)"];
const UNANSWERED: [&str; 1] = ["UPDATE refresh_tokens SET answer = NULL WHERE id IN \
     (SELECT id FROM refresh_tokens WHERE answer IS NOT NULL AND replaced_at < $1 LIMIT $2)"];

/// $1 is the time in microseconds.
const AT_REST: &str = "DELETE FROM attempts WHERE digest IN (SELECT digest FROM attempts WHERE at_rest < $1 LIMIT $2)";
const UNSEEN: [&str; 1] = ["DELETE FROM sign_in_networks WHERE (account_id, digest) IN \
     (SELECT account_id, digest FROM sign_in_networks WHERE seen_at < $1 LIMIT $2)"];

pub(super) fn sweep(conn: &mut Conn, moments: &SweepMoments, most: u16) -> Result<usize, Fault> {
    let groups: [(&[&str], Time); 5] = [
        (&ENDED, moments.now),
        (&FORGOTTEN, moments.forgotten),
        (&DELIVERED, moments.delivered),
        (&UNANSWERED, moments.unanswered),
        (&UNSEEN, moments.unseen),
    ];
    let at_rest = diesel::sql_query(AT_REST).bind::<BigInt, _>(moments.now.timestamp_micros());
    let mut gone = at_rest.bind::<BigInt, _>(i64::from(most)).execute(conn)?;
    for (statements, before) in groups {
        for statement in statements {
            let query = diesel::sql_query(*statement).bind::<Instant, _>(At(before));
            gone += query.bind::<BigInt, _>(i64::from(most)).execute(conn)?;
        }
    }
    Ok(gone)
}
