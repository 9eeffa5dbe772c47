//! Writes the items of a change: one statement for each kind of write, instead of one for each item.

use std::collections::HashMap;

use diesel::connection::SimpleConnection as _;
use steward_domain::changes::{Changes, RecordedWrite, Write};
use steward_domain::error::ResourceKind;
use steward_domain::model::{Precondition, Revision, Time};
use steward_domain::ports::ItemOutcome;

use super::Conn;
use super::item_set::{self, ItemWrite, Written};
use super::queries::{audit, quota};
use super::single_write::{self, WriteKind, delete_kind, path_of, put_kind};
use crate::error::JobError;
use crate::sql_types::At;

/// Settings for statements that look up many rows by their keys: the planner neither scans nor plans again for each
/// number of rows.
const ROW_PLANNING: &str = "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off; \
     SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL jit = off";
/// Maximum number of items in one statement. It joins them with what it wrote, which takes longer for each item if there
/// are many.
const MAX_ITEMS: usize = 100;

/// A write of the change, and the kind of the statement that writes it.
struct Part<'a> {
    statement: (WriteKind, bool),
    /// Whether an item that exists afterwards was created by this write, given its timestamp of creation and revision.
    created_at: Option<Time>,
    write: ItemWrite<'a>,
}

/// Writes the items of a change that has several, if each is written once. Returns the results by the numbers of the
/// writes. Writes with other preconditions than the statements know are left out.
pub(super) fn write_items(conn: &mut Conn, changes: &Changes) -> Result<HashMap<i64, ItemOutcome>, JobError> {
    let mut results = HashMap::new();
    let recorded = (0..).zip(changes.recorded_writes());
    let mut parts: Vec<Part<'_>> = recorded.filter_map(|(number, recorded)| part(changes, number, recorded)).collect();
    if parts.len() < 2 {
        return Ok(results);
    }
    parts.sort_by(|one, other| key(one).cmp(&key(other)));
    let is_repeated = |pair: &[Part<'_>]| matches!(pair, [one, other] if key(one) == key(other));
    if parts.windows(2).any(is_repeated) {
        return Ok(results);
    }
    // A stable sort: the items of a kind stay in the order of their keys.
    parts.sort_by_key(|part| part.statement);
    conn.batch_execute(ROW_PLANNING)?;
    for parts in parts.chunk_by(|one, other| one.statement == other.statement).flat_map(|kind| kind.chunks(MAX_ITEMS)) {
        write(conn, changes, parts, &mut results)?;
    }
    Ok(results)
}

fn write(
    conn: &mut Conn,
    changes: &Changes,
    parts: &[Part<'_>],
    results: &mut HashMap<i64, ItemOutcome>,
) -> Result<(), JobError> {
    let Some(&Part { statement: (kind, has_keys), .. }) = parts.first() else { return Ok(()) };
    let writes: Vec<&ItemWrite<'_>> = parts.iter().map(|part| &part.write).collect();
    let written = item_set::write(conn, kind, has_keys, &writes)?;
    for (part, written) in parts.iter().zip(written) {
        let Written::Item(stored) = written else { return Err(JobError::Stale(ResourceKind::Item)) };
        let is_first = stored.revision == Revision::first_at(changes.at());
        let created = is_first && part.created_at == Some(stored.created_at);
        results.insert(part.write.event.number, ItemOutcome { stored, created });
    }
    Ok(())
}

fn key<'a>(part: &'a Part<'_>) -> (uuid::Uuid, uuid::Uuid, &'a str, &'a str) {
    single_write::key(&part.write.path)
}

fn part<'a>(changes: &'a Changes, number: i64, RecordedWrite { write, event }: &'a RecordedWrite) -> Option<Part<'a>> {
    let (path, value, created_at, (kind, wanted)) = match write {
        Write::PutItem(item, when) => (path_of(item), item.value.as_str(), Some(changes.at()), put_kind(when)?),
        Write::RestoreItem(item, at) => {
            (path_of(item), item.value.as_str(), Some(*at), put_kind(&Precondition::Absent)?)
        }
        Write::ImportItem(item, at) => (path_of(item), item.value.as_str(), Some(*at), put_kind(&Precondition::None)?),
        Write::RemoveItem(path, when) => (path.clone(), "", None, delete_kind(when)?),
        _ => return None,
    };
    let has_keys = matches!(write, Write::RestoreItem(..) | Write::RemoveItem(..)) || changes.has_indexed_fields();
    let write = ItemWrite {
        path,
        value,
        created_at: At(created_at.unwrap_or(changes.at())),
        first_revision: Revision::first_at(changes.at()).0,
        wanted,
        basis: changes.permit().basis(),
        event: audit::item_change(changes, number, event.as_ref()?),
        shard: quota::shard(changes),
        // If the counter row has too little room, the statement fails, and the change is repeated with more.
        room: (0, 0),
    };
    Some(Part { statement: (kind, has_keys), created_at, write })
}
