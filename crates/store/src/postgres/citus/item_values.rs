//! Writes several items of distributed tables with statements of values only, which Citus sends to the node of their
//! project. What they rely on is in tables of the coordinator, and is read there before.

use std::collections::BTreeMap;

use const_format::concatcp;
use diesel::RunQueryDsl as _;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable, Text};
use steward_domain::kernel::error::ResourceKind;
use uuid::Uuid;

use crate::dialect::{MAX_WRITES, Proof};
use crate::error::JobError;
use crate::postgres::Conn;
use crate::postgres::dialect::KEY_VALUES;
use crate::postgres::items::arrays::{ArrayStatement, Column};
use crate::postgres::items::item_set::{IS_CURRENT, ItemWrite, Written, basis_columns, document, path_columns, stored};
use crate::postgres::items::single_write::WriteKind;
use crate::postgres::queries::data::item::item_key;
use crate::postgres::queries::data::item::item_recording::ITEM_CREATED;
use crate::postgres::queries::data::item::item_steps::{self, RecordedEvent};
use crate::postgres::queries::kernel::quota;
use crate::postgres::queries::kernel::statement::{Fragment, Statement};
use crate::sql_types::{At, Id, Instant, Json, JsonDoc};

/// Returns whether statements of values can write the item.
pub(in crate::postgres) fn can_write(kind: WriteKind) -> bool {
    matches!(kind, WriteKind::Put | WriteKind::Create)
}

/// Writes items of distributed tables.
pub(in crate::postgres) fn write_values(conn: &mut Conn, writes: &[ItemWrite<'_>]) -> Result<Vec<Written>, JobError> {
    let (first_position, proven) = prove(conn, writes)?;
    if proven.len() < writes.len() {
        return Err(JobError::Stale(ResourceKind::Item));
    }
    let keys = keys(conn, &proven)?;
    write(conn, first_position, &proven, &keys)
}

/// Proves on the coordinator that the users of these writes are connected and the access decisions current. Returns the first
/// position of the transaction, and the writes for which that holds. As [`super::item_proof::prove`], locks the users.
pub(super) fn prove<'w, 'a>(
    coordinator: &mut Conn,
    writes: &'w [ItemWrite<'a>],
) -> Result<(i64, Vec<&'w ItemWrite<'a>>), JobError> {
    const BEFORE: &str = "SELECT q.number, (SELECT base FROM transaction_position) FROM unnest(";
    const AFTER: &str = concatcp!(
        ") AS q (number, project_id, user_id, basis_project, project_epoch, basis_account, account_epoch, signed_by) \
         JOIN project_users u ON u.project_id = q.project_id AND u.id = q.user_id WHERE u.status = 'connected' AND ",
        IS_CURRENT,
        " FOR KEY SHARE OF u"
    );
    let mut columns = vec![numbers(writes.iter())];
    columns.extend(path_columns(writes.iter().map(|write| &write.shape.path)).into_iter().take(2));
    columns.extend(basis_columns(writes.iter().map(|write| write.basis)));
    let statement: ArrayStatement<'_, (BigInt, Nullable<BigInt>)> = ArrayStatement::new(BEFORE, columns, AFTER);
    let found: Vec<(i64, Option<i64>)> = statement.load(coordinator)?;
    let first_position = found.first().map_or(Ok(0), |(_, position)| position.ok_or(JobError::NoPosition))?;
    let is_proven = |write: &&ItemWrite<'_>| found.iter().any(|(number, _)| *number == write.event.number);
    Ok((first_position, writes.iter().filter(is_proven).collect()))
}

/// The key of an item for an indexed field.
pub(super) struct ItemKeyRow {
    /// Of the write of the item.
    number: i64,
    field: i64,
    is_text: bool,
    text: Option<String>,
    /// As text, because it has more digits than a number of this program.
    decimal: Option<String>,
}

type KeyColumns = (BigInt, BigInt, Bool, Nullable<Text>, Nullable<Text>);
type KeyRow = (i64, i64, bool, Option<String>, Option<String>);

/// Computes on the coordinator, which knows the indexed fields, the keys of the items to be written.
pub(super) fn keys(coordinator: &mut Conn, writes: &[&ItemWrite<'_>]) -> Result<Vec<ItemKeyRow>, JobError> {
    const BEFORE: &str = concatcp!(
        "SELECT number, field_id, is_text, text_key, number_key::text FROM (SELECT i.number, f.id, ",
        KEY_VALUES,
        " FROM unnest("
    );
    const AFTER: &str = ") AS i (number, project_id, table_name, value) JOIN indexed_fields f ON f.project_id = i.project_id \
         AND f.table_name = i.table_name AND f.state <> 'retired') AS k (number, field_id, is_text, text_key, number_key)";
    let with_keys = || writes.iter().copied().filter(|write| write.shape.has_keys);
    if with_keys().next().is_none() {
        return Ok(Vec::new());
    }
    let columns = vec![
        numbers(with_keys()),
        Column::Ids(with_keys().map(|write| Some(Id(write.shape.path.project_id.uuid()))).collect()),
        Column::Texts(with_keys().map(|write| Some(write.shape.path.table.as_str())).collect()),
        Column::Documents(with_keys().map(|write| document(write.shape.value)).collect()),
    ];
    let statement: ArrayStatement<'_, KeyColumns> = ArrayStatement::new(BEFORE, columns, AFTER);
    let key = |(number, field, is_text, text, decimal)| ItemKeyRow { number, field, is_text, text, decimal };
    let rows: Vec<KeyRow> = statement.load(coordinator)?;
    Ok(rows.into_iter().map(key).collect())
}

fn numbers<'a>(writes: impl Iterator<Item = &'a ItemWrite<'a>>) -> Column<'static> {
    Column::Counts(writes.map(|write| Some(write.event.number)).collect())
}

/// Writes the items with their events, keys and counts: all or, after an error, none. MUST run in a transaction. All writes MUST
/// have the same kind, which [`can_write`], and be in the order of their keys, each key once; the numbers of their events,
/// below 1,024, distinguish them. The results have the same order.
pub(super) fn write(
    node: &mut Conn,
    first_position: i64,
    writes: &[&ItemWrite<'_>],
    keys: &[ItemKeyRow],
) -> Result<Vec<Written>, JobError> {
    let Some(kind) = writes.first().map(|write| write.shape.kind) else { return Ok(Vec::new()) };
    let rows: Vec<WrittenRow> = insert(kind, first_position, writes).load(node)?;
    let mut counts: BTreeMap<(Uuid, i16), (i64, i64)> = BTreeMap::new();
    let mut results: Vec<Written> = writes.iter().map(|_| Written::Nothing).collect();
    let mut events = Vec::with_capacity(rows.len());
    let mut is_written = vec![false; writes.len()];
    for (number, value, created_at, updated_at, revision, items, bytes) in rows {
        let index = writes.iter().position(|write| write.event.number == number);
        let Some((index, write)) = index.and_then(|index| Some((index, writes.get(index)?))) else {
            return Err(JobError::corrupt("a statement wrote an item that it was not given"));
        };
        let path = &write.shape.path;
        let count = counts.entry((path.project_id.uuid(), write.shard)).or_default();
        *count = (count.0.saturating_add(items.into()), count.1.saturating_add(bytes));
        events.push(RecordedEvent {
            project: path.project_id.uuid(),
            user: path.user_id.uuid(),
            table: &path.table,
            id: path.id.as_str(),
            event: &write.event,
            action: if items > 0 { ITEM_CREATED } else { &write.event.action },
            proof: Proof::Before { first_position },
        });
        if let (Some(result), Some(is_written)) = (results.get_mut(index), is_written.get_mut(index)) {
            *result = Written::Item(stored(path, value, (created_at, updated_at), revision)?);
            *is_written = true;
        }
    }
    for ((project, shard), (items, bytes)) in counts.into_iter().filter(|(_, count)| *count != (0, 0)) {
        quota::counted(node, project, shard, items, bytes)?;
    }
    let written = || writes.iter().zip(&is_written).filter(|(_, is_written)| **is_written).map(|(write, _)| *write);
    let of = |key: &'_ ItemKeyRow| written().find(|write| write.event.number == key.number);
    store_keys(node, keys.iter().filter_map(|key| Some((of(key)?, key))))?;
    item_steps::record(node, &events)?;
    Ok(results)
}

type WrittenColumns = (BigInt, JsonDoc, Instant, Instant, BigInt, Integer, BigInt);
type WrittenRow = (i64, Json, At, At, i64, i32, i64);

fn insert(kind: WriteKind, first_position: i64, writes: &[&ItemWrite<'_>]) -> Statement<WrittenColumns> {
    const RETURNING: &str = concatcp!(
        " RETURNING position & ",
        MAX_WRITES - 1,
        ", value, created_at, updated_at, revision, CASE WHEN bytes_before IS NULL THEN 1 ELSE 0 END, \
         bytes - coalesce(bytes_before, 0)"
    );
    let mut insert = Statement::new();
    if writes.len() > 1 {
        insert.is_rare();
    }
    insert.sql(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes, position) \
         VALUES ",
    );
    for (index, write) in writes.iter().enumerate() {
        let shape = &write.shape;
        insert.sql(if index == 0 { "(" } else { "), (" });
        let [table, id] = [shape.path.table.as_str(), shape.path.id.as_str()].map(Fragment::text);
        let (project, user) = (Fragment::id(shape.path.project_id), Fragment::id(shape.path.user_id));
        let (created_at, at) = (Fragment::at(shape.created_at), Fragment::At(write.event.at));
        let position = first_position.saturating_add(write.event.number);
        let [revision, bytes, position] = [write.first_revision(), shape.bytes(), position].map(Fragment::Count);
        let value = Fragment::Json(document(shape.value));
        let values = [project, user, table, id, value, created_at, at, revision, bytes, position];
        insert.push("$1, $2, $3, $4, $5, $6, $7, $8, $9, $10", &values);
    }
    insert.sql(") ON CONFLICT (project_id, user_id, table_name, id) DO ");
    insert.sql(match kind {
        WriteKind::Put => {
            "UPDATE SET value = excluded.value, updated_at = excluded.updated_at, revision = items.revision + 1, \
             bytes = excluded.bytes, position = excluded.position, bytes_before = items.bytes"
        }
        _ => "NOTHING",
    });
    insert.sql(RETURNING);
    insert
}

fn store_keys<'a>(
    node: &mut Conn,
    keys: impl Iterator<Item = (&'a ItemWrite<'a>, &'a ItemKeyRow)>,
) -> Result<(), JobError> {
    let mut store: Statement<()> = Statement::new();
    store.is_rare();
    store.sql("INSERT INTO item_keys (project_id, field_id, owner_id, item_id, is_text, text_key, number_key) VALUES ");
    let mut is_empty = true;
    for (write, key) in keys {
        store.sql(if is_empty { "(" } else { "), (" });
        is_empty = false;
        let path = &write.shape.path;
        let (project, field, user) =
            (Fragment::id(path.project_id), Fragment::Count(key.field), Fragment::id(path.user_id));
        let (id, is_text) = (Fragment::text(path.id.as_str()), Fragment::Bool(key.is_text));
        let [text, decimal] =
            [&key.text, &key.decimal].map(|text| text.clone().map_or(Fragment::Sql("NULL"), Fragment::Text));
        let values = [project, field, user, id, is_text, text, decimal];
        store.push("$1, $2, $3, $4, $5, $6, CAST($7 AS numeric)", &values);
    }
    if is_empty {
        return Ok(());
    }
    store.sql(")");
    store.sql(item_key::ON_CONFLICT);
    Ok(store.execute(node).map(drop)?)
}
