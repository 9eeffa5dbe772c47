//! Writes an item and everything that is stored with it, in one statement.

use const_format::concatcp;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment};
use diesel::query_dsl::LoadQuery;
use diesel::sql_types::{BigInt, Nullable, SmallInt, Text};
use diesel::{OptionalExtension as _, QueryResult, RunQueryDsl};

use super::Conn;
use super::dialect::{EVENT_POSITION, KEY_VALUES};
use super::queries::data::item::item_recording::{ITEM_CREATED, Keys, Recording};
use super::queries::data::item::{item_key, item_steps};
use crate::dialect::{Proof, text_query};
use crate::error::JobError;
use crate::sql_types::{Instant, Uid};
use crate::tables::ItemRow;

/// Writes an item, records its event, and updates the project's usage. Returns `None` if the condition did not hold;
/// nothing is recorded in this case.
pub(in crate::postgres) fn recorded<'q, Q>(
    conn: &mut Conn,
    written: Q,
    recording: Recording<'q>,
) -> Result<Option<(ItemRow, i64, i64)>, JobError>
where
    Q: RunQueryDsl<Conn> + LoadQuery<'q, Conn, (ItemRow, i64, i64)>,
    RecordedStatement<'q, Q>: LoadQuery<'q, Conn, (ItemRow, i64, i64)>,
{
    match recording.proof {
        Proof::InStatement => Ok(RecordedStatement { written, recording }.get_result(conn).optional()?),
        Proof::Before { .. } => item_steps::in_steps(conn, written, recording),
    }
}

/// A statement on items, the insert of its audit event, and the update of the project's usage, combined into one
/// statement. This is atomic without a transaction and takes one round trip.
pub(in crate::postgres) struct RecordedStatement<'e, Q> {
    written: Q,
    recording: Recording<'e>,
}

text_query!([Q: Query] RecordedStatement<'_, Q> => Q::SqlType);

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for RecordedStatement<'_, Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let event = &self.recording.event;
        out.push_sql("WITH written AS (");
        self.written.walk_ast(out.reborrow())?;
        out.push_sql(
            "), recorded AS (INSERT INTO item_changes (project_id, user_id, table_name, item_id, position, at, team_id, \
             action, actor_kind, actor_id, token_id, operation, request_id, address) \
             SELECT project_id, user_id, table_name, id, ",
        );
        out.push_sql(EVENT_POSITION);
        out.push_bind_param::<BigInt, _>(&event.number)?;
        out.push_sql(", ");
        out.push_bind_param::<Instant, _>(&event.at)?;
        out.push_sql(", ");
        out.push_bind_param::<Nullable<Uid>, _>(&event.team_id)?;
        out.push_sql(", ");
        out.push_sql(ACTION);
        out.push_bind_param::<Text, _>(&event.action)?;
        out.push_sql(" END, ");
        out.push_bind_param::<Text, _>(&event.actor_kind)?;
        for id in [&event.actor_id, &event.token_id] {
            out.push_sql(", ");
            out.push_bind_param::<Nullable<Uid>, _>(id)?;
        }
        for text in [event.operation, event.request_id] {
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(text)?;
        }
        out.push_sql(", ");
        out.push_bind_param::<Nullable<Text>, _>(&event.address)?;
        out.push_sql(" FROM written)");
        match self.recording.keys {
            Keys::None => {}
            Keys::Stored => out.push_sql(STORE_KEYS),
            Keys::Deleted => {
                out.push_sql(
                    ", buried AS (INSERT INTO item_tombstones (project_id, user_id, position, table_name, id) \
                     SELECT project_id, user_id, ",
                );
                out.push_sql(EVENT_POSITION);
                out.push_bind_param::<BigInt, _>(&event.number)?;
                out.push_sql(", table_name, id FROM written)");
                out.push_sql(DELETE_KEYS);
            }
        }
        out.push_sql(
            ", counted AS (UPDATE project_usage SET items = project_usage.items + written.item_change, \
             bytes = project_usage.bytes + written.byte_change FROM written \
             WHERE (written.item_change <> 0 OR written.byte_change <> 0) AND project_usage.project_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.recording.project)?;
        out.push_sql(" AND project_usage.shard = ");
        out.push_bind_param::<SmallInt, _>(&self.recording.shard)?;
        out.push_sql(") SELECT * FROM written");
        Ok(())
    }
}

/// Part of the statement that writes an item: the action of its event. Only the database knows whether a put creates the
/// item.
const ACTION: &str = concatcp!("CASE WHEN item_change > 0 THEN '", ITEM_CREATED, "' ELSE ");

/// Part of the statement that writes an item: stores its keys, with the snapshot of that statement. See
/// [`SETTLE_STATEMENTS`].
pub(in crate::postgres) const STORE_KEYS: &str = concatcp!(
    ", keyed AS (",
    item_key::STORE,
    KEY_VALUES,
    " FROM written i, indexed_fields f \
     WHERE f.project_id = i.project_id AND f.table_name = i.table_name AND f.state <> 'retired'",
    item_key::ON_CONFLICT,
    ")"
);

/// Part of the statement that deletes an item: deletes its keys. A key that a concurrent transaction stores while it
/// fills a new field remains, but matches no item.
pub(in crate::postgres) const DELETE_KEYS: &str = ", keyed AS (DELETE FROM item_keys k USING written i, indexed_fields f WHERE \
     f.project_id = i.project_id AND f.table_name = i.table_name AND k.project_id = i.project_id \
     AND k.owner_id = i.user_id AND k.item_id = i.id AND k.field_id = f.id)";
