//! What waits for background work, counted up to a bound.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use steward_domain::model::Time;
use steward_domain::ports::Backlog;

use super::Conn;
use crate::error::JobError;
use crate::sql_types::{At, Instant};

#[derive(QueryableByName)]
struct Waiting {
    #[diesel(sql_type = BigInt)]
    count: i64,
    #[diesel(sql_type = Nullable<Instant>)]
    oldest: Option<At>,
}

const UNSEALED: &str = "SELECT count(*) AS count, min(at) AS oldest FROM \
     (SELECT at FROM audit_events WHERE position > (SELECT position FROM audit_progress) \
     UNION ALL SELECT at FROM item_changes WHERE position > (SELECT position FROM audit_progress) LIMIT 10000) AS waiting";
const DUE: &str = "SELECT count(*) AS count, min(wake_at) AS oldest FROM (SELECT wake_at FROM webhooks \
     WHERE paused_at IS NULL AND wake_at IS NOT NULL AND wake_at <= $1 ORDER BY wake_at LIMIT 10000) AS waiting";
const FAILING: &str = "SELECT count(*) AS count, min(wake_at) AS oldest FROM (SELECT wake_at FROM webhooks \
     WHERE paused_at IS NULL AND wake_at IS NOT NULL AND attempts > 0 LIMIT 10000) AS waiting";

pub(super) fn backlog(conn: &mut Conn, now: Time) -> Result<Backlog, JobError> {
    let unsealed: Waiting = diesel::sql_query(UNSEALED).get_result(conn)?;
    let due: Waiting = diesel::sql_query(DUE).bind::<Instant, _>(At(now)).get_result(conn)?;
    let failing: Waiting = diesel::sql_query(FAILING).get_result(conn)?;
    let number = |waiting: &Waiting| u64::try_from(waiting.count).unwrap_or_default();
    Ok(Backlog {
        unsealed_events: number(&unsealed),
        oldest_unsealed: unsealed.oldest.map(|at| at.0),
        due_webhooks: number(&due),
        oldest_due: due.oldest.map(|at| at.0),
        failing_webhooks: number(&failing),
    })
}
