//! Writes an item and everything that is stored with it.

use diesel::query_dsl::LoadQuery;
use diesel::{OptionalExtension as _, RunQueryDsl};

use super::Conn;
use super::dialect::position;
use super::queries::item_recording::{ITEM_CREATED, Keys, Recording};
use super::queries::statement::{Fragment, Statement};
use super::queries::{audit, item_key, quota};
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::ItemRow;

/// Writes an item, records its event, and updates the project's usage. Returns `None` if the condition did not hold;
/// nothing is recorded in this case.
pub(super) fn recorded<'q, Q>(
    conn: &mut Conn,
    written: Q,
    recording: Recording<'_>,
) -> Result<Option<(ItemRow, i64, i64)>, JobError>
where
    Q: RunQueryDsl<Conn> + LoadQuery<'q, Conn, (ItemRow, i64, i64)>,
{
    let written = written.get_result(conn).optional()?;
    if let Some((row, items, bytes)) = &written {
        if (*items, *bytes) != (0, 0) {
            quota::counted(conn, recording.project.0, recording.shard, *items, *bytes)?;
        }
        match recording.keys {
            Keys::None => {}
            Keys::Stored => item_key::store(conn, (row.project_id, row.user_id, &row.table_name), (&row.id, &row.id))?,
            Keys::Deleted => {
                item_key::delete(conn, (row.project_id, row.user_id), [(row.table_name.as_str(), row.id.as_str())])?;
                bury(conn, row, recording.event.number)?;
            }
        }
        let action = if *items > 0 { ITEM_CREATED.to_owned() } else { recording.event.action };
        record(conn, row, audit::ItemChange { action, ..recording.event })?;
    }
    Ok(written)
}

/// Stores that an item was deleted, at the position of its event.
fn bury(conn: &mut Conn, item: &ItemRow, number: i64) -> Result<(), JobError> {
    let values = [
        Fragment::Id(item.project_id),
        Fragment::Id(item.user_id),
        Fragment::Sql(position(number)),
        Fragment::Text(item.table_name.clone()),
        Fragment::Text(item.id.clone()),
    ];
    const BURY: &str = "INSERT INTO item_tombstones (project_id, user_id, position, table_name, id) \
         VALUES ($1, $2, $3, $4, $5)";
    Statement::<()>::numbered(BURY, &values).execute(conn)?;
    Ok(())
}

/// Stores the event of an item write. It does not use Diesel's query builder, which would prepare the statement every
/// time.
fn record(conn: &mut Conn, item: &ItemRow, change: audit::ItemChange<'_>) -> Result<(), JobError> {
    let optional_id = |id: Option<Id>| id.map_or(Fragment::Sql("NULL"), Fragment::Id);
    let values = [
        Fragment::Id(item.project_id),
        Fragment::Id(item.user_id),
        Fragment::Text(item.table_name.clone()),
        Fragment::Text(item.id.clone()),
        Fragment::At(change.at),
        optional_id(change.team_id),
        Fragment::Text(change.action),
        Fragment::Text(change.actor_kind.to_owned()),
        optional_id(change.actor_id),
        optional_id(change.token_id),
        Fragment::Text(change.operation.to_owned()),
        Fragment::Text(change.request_id.to_owned()),
        change.address.map_or(Fragment::Sql("NULL"), Fragment::Text),
        Fragment::Sql(position(change.number)),
    ];
    const RECORD: &str = "INSERT INTO item_changes (project_id, user_id, table_name, item_id, at, team_id, action, \
         actor_kind, actor_id, token_id, operation, request_id, address, position) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    Statement::<()>::numbered(RECORD, &values).execute(conn)?;
    Ok(())
}
