//! Writes an item and everything that is stored with it, each with a statement of its own.

use diesel::query_dsl::LoadQuery;
use diesel::{OptionalExtension as _, RunQueryDsl};
use uuid::Uuid;

use super::Conn;
use super::administration::audit::NewEvent;
use super::item_key;
use super::item_recording::{self, ITEM_CREATED, Keys, Recording};
use super::kernel::quota;
use super::kernel::statement::{Fragment, Statement};
use crate::dialect::Proof;
use crate::error::JobError;
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
    const INTO: &str =
        "INSERT INTO item_tombstones (project_id, user_id, table_name, id, position) VALUES ($1, $2, $3, $4, ";
    let [table, id] = [&item.table_name, &item.id].map(|text| Fragment::text(text.as_str()));
    let values = [Fragment::Id(item.project_id), Fragment::Id(item.user_id), table, id];
    let mut bury: Statement<()> = Statement::numbered(INTO, &values);
    recording.push_position(&mut bury);
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
    pub(crate) event: &'a NewEvent<'a>,
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
    for (index, recorded) in events.iter().enumerate() {
        record.sql(if index == 0 { "(" } else { "), (" });
        let event = recorded.event;
        let [table, id, action] = [recorded.table, recorded.id, recorded.action].map(Fragment::text);
        let [kind, operation, request] = [event.actor_kind, event.operation, event.request_id].map(Fragment::text);
        let [team, actor, token] = [event.team_id, event.actor_id, event.token_id].map(Fragment::OptionalId);
        let address = Fragment::OptionalText(event.address.clone());
        let (project, user) = (Fragment::id(recorded.project), Fragment::id(recorded.user));
        let at = Fragment::At(event.at);
        record.push(
            "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, ",
            &[project, user, table, id, at, team, action, kind, actor, token, operation, request, address],
        );
        item_recording::push_position(&mut record, recorded.proof, event.number);
    }
    record.sql(")");
    record.execute(conn)?;
    Ok(())
}
