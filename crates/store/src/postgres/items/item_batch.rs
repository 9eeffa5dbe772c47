//! Writes the items of a change: one statement for each kind of write, instead of one for each item.

use std::collections::HashMap;

use diesel::connection::SimpleConnection as _;
use steward_domain::kernel::ItemOutcome;
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::error::ResourceKind;

use super::connection::planning;
use super::item_set::{self, ItemWrite, Written};
use super::{Conn, Layout, citus};
use crate::error::JobError;

/// Maximum number of items in one statement, which bounds its memory.
const MAX_ITEMS: usize = 100;

/// Writes the items of a change that has several, if each is written once. Returns the results by the numbers of the
/// writes. Writes with other preconditions than the statements know are left out.
pub(in crate::postgres) fn write_items(
    conn: &mut Conn,
    layout: Layout,
    changes: &Changes,
) -> Result<HashMap<i64, ItemOutcome>, JobError> {
    let mut results = HashMap::new();
    if changes.recorded_writes().len() < 2 {
        return Ok(results);
    }
    let recorded = (0..).zip(changes.recorded_writes());
    let writes = recorded.filter_map(|(number, recorded)| ItemWrite::of(changes, recorded, number));
    let is_local = layout.is_local();
    let mut writes: Vec<ItemWrite<'_>> =
        writes.filter(|write| is_local || citus::can_write(write.shape.kind)).collect();
    writes.sort_by(|one, other| one.shape.key().cmp(&other.shape.key()));
    let is_repeated = |pair: &[ItemWrite<'_>]| matches!(pair, [one, other] if one.shape.key() == other.shape.key());
    if writes.len() < 2 || writes.windows(2).any(is_repeated) {
        return Ok(results);
    }
    // A stable sort: the items of a statement stay in the order of their keys.
    writes.sort_by_key(ItemWrite::statement);
    if is_local {
        conn.batch_execute(&planning::of_transaction())?;
    }
    let statements = writes.chunk_by(|one, other| one.statement() == other.statement());
    for writes in statements.flat_map(|statement| statement.chunks(MAX_ITEMS)) {
        let written = if is_local { item_set::write(conn, writes) } else { citus::write_values(conn, writes) };
        for (write, written) in writes.iter().zip(written?) {
            let Written::Item(stored) = written else { return Err(JobError::Stale(ResourceKind::Item)) };
            results.insert(write.event.number, write.outcome(stored));
        }
    }
    Ok(results)
}

/// Returns the result of the write of one item without a transaction: one statement writes it and records its event.
pub(in crate::postgres) fn without_transaction<T>(result: Result<T, JobError>) -> Result<T, JobError> {
    result
}
