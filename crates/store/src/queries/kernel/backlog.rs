//! Counts of pending background work, each up to 10,000.

use async_trait::async_trait;
use diesel::RunQueryDsl as _;
use diesel::sql_types::{BigInt, Nullable};
use steward_domain::kernel::{Backlog, BacklogReader, StoreError, Time};

use super::Database;
use super::dialect::NEWEST_UNPARTITIONED;
use super::quota::unsigned;
use super::statement::{Fragment, Statement};
use crate::error::JobError;
use crate::sql_types::{At, Instant};

const UNSEALED: &str = "SELECT count(*), min(at) FROM \
     (SELECT at FROM audit_events WHERE position > (SELECT position FROM audit_progress) \
     UNION ALL SELECT at FROM item_changes WHERE position > (SELECT position FROM audit_progress) LIMIT 10000) AS waiting";
const DUE: &str = "SELECT count(*), min(wake_at) FROM (SELECT wake_at FROM webhooks \
     WHERE paused_at IS NULL AND wake_at IS NOT NULL AND wake_at <= $1 ORDER BY wake_at LIMIT 10000) AS waiting";
const FAILING: &str = "SELECT count(*), min(wake_at) FROM (SELECT wake_at FROM webhooks \
     WHERE paused_at IS NULL AND wake_at IS NOT NULL AND attempts > 0 LIMIT 10000) AS waiting";

#[async_trait]
impl BacklogReader for Database {
    async fn backlog(&self, now: Time) -> Result<Backlog, StoreError> {
        self.read(move |conn| {
            let mut pending = |text, values: &[Fragment]| -> Result<(u64, Option<Time>), JobError> {
                let pending: Statement<(BigInt, Nullable<Instant>)> = Statement::numbered(text, values);
                let (count, oldest): (i64, Option<At>) = pending.get_result(conn)?;
                Ok((unsigned(count), oldest.map(|at| at.0)))
            };
            let (unsealed_events, oldest_unsealed) = pending(UNSEALED, &[])?;
            let (due_webhooks, oldest_due) = pending(DUE, &[Fragment::at(now)])?;
            let (failing_webhooks, _) = pending(FAILING, &[])?;
            let newest: Statement<Nullable<Instant>> = Statement::numbered(NEWEST_UNPARTITIONED, &[]);
            let newest: Option<At> = newest.get_result(conn)?;
            let newest_unpartitioned = newest.map(|at| at.0);
            Ok(Backlog {
                unsealed_events,
                oldest_unsealed,
                due_webhooks,
                oldest_due,
                failing_webhooks,
                newest_unpartitioned,
            })
        })
        .await
    }
}
