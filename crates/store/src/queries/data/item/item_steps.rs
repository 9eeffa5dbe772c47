//! Writes an item and everything that is stored with it, each with a statement of its own.

use diesel::query_dsl::LoadQuery;
use diesel::{OptionalExtension as _, RunQueryDsl};
use uuid::Uuid;

use super::Conn;
use super::administration::audit::ItemChange;
use super::item_key;
use super::item_recording::{self, ITEM_CREATED, Keys, Recording};
use super::kernel::quota;
use super::kernel::statement::Statement;
use crate::dialect::Proof;
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
        let event = RecordedEvent {
            project: row.project_id.0,
            user: row.user_id.0,
            table: &row.table_name,
            id: &row.id,
            event: &recording.event,
            action: if *items > 0 { ITEM_CREATED } else { &recording.event.action },
            proof: recording.proof,
        };
        record(conn, &[event])?;
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

/// The event of an item write, with what is known after the write.
pub(crate) struct RecordedEvent<'a> {
    pub(crate) project: Uuid,
    pub(crate) user: Uuid,
    pub(crate) table: &'a str,
    pub(crate) id: &'a str,
    pub(crate) event: &'a ItemChange<'a>,
    pub(crate) action: &'a str,
    pub(crate) proof: Proof,
}

/// Stores the events of item writes. It does not use Diesel's query builder, which would prepare the statement every
/// time.
pub(crate) fn record(conn: &mut Conn, events: &[RecordedEvent<'_>]) -> Result<(), JobError> {
    if events.is_empty() {
        return Ok(());
    }
    let mut record: Statement<()> = Statement::new();
    if events.len() > 1 {
        record.is_rare();
    }
    record.sql(
        "INSERT INTO item_changes (project_id, user_id, table_name, item_id, at, team_id, action, actor_kind, actor_id, \
         token_id, operation, request_id, address, position) VALUES ",
    );
    for (index, event) in events.iter().enumerate() {
        record.sql(if index == 0 { "(" } else { "), (" });
        push_event(&mut record, event);
    }
    record.sql(")");
    record.execute(conn)?;
    Ok(())
}

fn push_event(record: &mut Statement<()>, recorded: &RecordedEvent<'_>) {
    let ItemChange { at, team_id, actor_kind, actor_id, token_id, operation, request_id, address, .. } = recorded.event;
    record.id(recorded.project);
    record.sql(", ");
    record.id(recorded.user);
    for text in [recorded.table, recorded.id] {
        record.sql(", ");
        record.text(text);
    }
    record.sql(", ");
    record.at(*at);
    push_optional_id(record, *team_id);
    for text in [recorded.action, actor_kind] {
        record.sql(", ");
        record.text(text);
    }
    push_optional_id(record, *actor_id);
    push_optional_id(record, *token_id);
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
    item_recording::push_position(record, recorded.proof, recorded.event.number);
}

fn push_optional_id(statement: &mut Statement<()>, id: Option<Id>) {
    statement.sql(", ");
    match id {
        Some(id) => statement.id(id.0),
        None => statement.sql("NULL"),
    }
}
