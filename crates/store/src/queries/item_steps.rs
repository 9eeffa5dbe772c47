//! Writes an item and everything that is stored with it, each with a statement of its own.

use diesel::query_dsl::LoadQuery;
use diesel::{OptionalExtension as _, RunQueryDsl};

use super::audit::ItemChange;
use super::item_recording::{ITEM_CREATED, Keys, Recording};
use super::statement::Statement;
use super::{Conn, item_key, quota};
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::ItemRow;

/// Writes an item, records its event, and updates the project's usage. Returns `None` if the condition did not hold;
/// nothing is recorded in this case.
pub(crate) fn in_steps<'q, Q>(
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
                bury(conn, row, &recording)?;
            }
        }
        record(conn, row, &recording, if *items > 0 { ITEM_CREATED } else { &recording.event.action })?;
    }
    Ok(written)
}

/// Stores that an item was deleted, at the position of its event.
fn bury(conn: &mut Conn, item: &ItemRow, recording: &Recording<'_>) -> Result<(), JobError> {
    let mut bury: Statement<()> = Statement::new();
    bury.sql("INSERT INTO item_tombstones (project_id, user_id, position, table_name, id) VALUES (");
    bury.id(item.project_id.0);
    bury.sql(", ");
    bury.id(item.user_id.0);
    bury.sql(", ");
    recording.push_position(&mut bury);
    for text in [&item.table_name, &item.id] {
        bury.sql(", ");
        bury.text(text.as_str());
    }
    bury.sql(")");
    bury.execute(conn)?;
    Ok(())
}

/// Stores the event of an item write. It does not use Diesel's query builder, which would prepare the statement every
/// time.
fn record(conn: &mut Conn, item: &ItemRow, recording: &Recording<'_>, action: &str) -> Result<(), JobError> {
    let ItemChange { at, team_id, actor_kind, actor_id, token_id, operation, request_id, address, .. } =
        &recording.event;
    let mut record: Statement<()> = Statement::new();
    record.sql(
        "INSERT INTO item_changes (project_id, user_id, table_name, item_id, at, team_id, action, actor_kind, actor_id, \
         token_id, operation, request_id, address, position) VALUES (",
    );
    record.id(item.project_id.0);
    record.sql(", ");
    record.id(item.user_id.0);
    for text in [&item.table_name, &item.id] {
        record.sql(", ");
        record.text(text.as_str());
    }
    record.sql(", ");
    record.at(*at);
    push_optional_id(&mut record, *team_id);
    for text in [action, actor_kind] {
        record.sql(", ");
        record.text(text);
    }
    push_optional_id(&mut record, *actor_id);
    push_optional_id(&mut record, *token_id);
    for text in [*operation, *request_id] {
        record.sql(", ");
        record.text(text);
    }
    record.sql(", ");
    match address {
        Some(address) => record.text(address.as_str()),
        None => record.sql("NULL"),
    }
    record.sql(", ");
    recording.push_position(&mut record);
    record.sql(")");
    record.execute(conn)?;
    Ok(())
}

fn push_optional_id(statement: &mut Statement<()>, id: Option<Id>) {
    statement.sql(", ");
    match id {
        Some(id) => statement.id(id.0),
        None => statement.sql("NULL"),
    }
}
