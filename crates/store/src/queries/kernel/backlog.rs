//! Counts of pending background work, each up to 10,000.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use steward_domain::kernel::{Backlog, BacklogReader, StoreError, Time};

use super::Database;
use super::dialect::NEWEST_UNPARTITIONED;
use crate::sql_types::{At, Instant};

#[derive(QueryableByName)]
struct PendingRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
    #[diesel(sql_type = Nullable<Instant>)]
    oldest: Option<At>,
}

#[derive(QueryableByName)]
struct NewestRow {
    #[diesel(sql_type = Nullable<Instant>)]
    newest: Option<At>,
}

const UNSEALED: &str = "SELECT count(*) AS count, min(at) AS oldest FROM \
     (SELECT at FROM audit_events WHERE position > (SELECT position FROM audit_progress) \
     UNION ALL SELECT at FROM item_changes WHERE position > (SELECT position FROM audit_progress) LIMIT 10000) AS waiting";
const DUE: &str = "SELECT count(*) AS count, min(wake_at) AS oldest FROM (SELECT wake_at FROM webhooks \
     WHERE paused_at IS NULL AND wake_at IS NOT NULL AND wake_at <= $1 ORDER BY wake_at LIMIT 10000) AS waiting";
const FAILING: &str = "SELECT count(*) AS count, min(wake_at) AS oldest FROM (SELECT wake_at FROM webhooks \
     WHERE paused_at IS NULL AND wake_at IS NOT NULL AND attempts > 0 LIMIT 10000) AS waiting";

#[async_trait]
impl BacklogReader for Database {
    async fn backlog(&self, now: Time) -> Result<Backlog, StoreError> {
        self.read(move |conn| {
            let unsealed: PendingRow = diesel::sql_query(UNSEALED).get_result(conn)?;
            let due: PendingRow = diesel::sql_query(DUE).bind::<Instant, _>(At(now)).get_result(conn)?;
            let failing: PendingRow = diesel::sql_query(FAILING).get_result(conn)?;
            let unpartitioned: NewestRow = diesel::sql_query(NEWEST_UNPARTITIONED).get_result(conn)?;
            let number = |pending: &PendingRow| u64::try_from(pending.count).unwrap_or_default();
            Ok(Backlog {
                unsealed_events: number(&unsealed),
                oldest_unsealed: unsealed.oldest.map(|at| at.0),
                due_webhooks: number(&due),
                oldest_due: due.oldest.map(|at| at.0),
                failing_webhooks: number(&failing),
                newest_unpartitioned: unpartitioned.newest.map(|at| at.0),
            })
        })
        .await
    }
}
