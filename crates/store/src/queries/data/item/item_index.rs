//! Indexed fields of schemas. Every item write stores a key for each of them. This module registers the fields, and
//! adds the keys of existing items step by step.

use async_trait::async_trait;
use std::collections::HashSet;

use const_format::concatcp;
use diesel::connection::SimpleConnection as _;
use diesel::dsl::{exists, max, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use steward_domain::data::schema::{IndexedField, SchemaVersion};
use steward_domain::data::{IndexStep, ItemIndexer};
use steward_domain::kernel::{ProjectId, StoreError};
use uuid::Uuid;

use super::dialect::{CLAIM_LOCK, ROW_LOCK, SETTLE_STATEMENTS, SHORT_LOCK_TIMEOUT};
use super::item_key;
use super::kernel::statement::{Fragment, Statement};
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{Id, Uid};
use crate::tables::indexed_fields;

#[async_trait]
impl ItemIndexer for Database {
    async fn has_work(&self) -> Result<bool, StoreError> {
        let pending = indexed_fields::table.filter(sql::<Bool>(IS_PENDING));
        self.read(move |conn| Ok(diesel::select(exists(pending)).get_result::<bool>(conn)?)).await
    }

    async fn index_items(&self, after: Option<ProjectId>, limit: u16) -> Result<IndexStep, StoreError> {
        self.write(move |conn| step(conn, after, limit)).await
    }
}

/// Registers the indexed fields of a newly published schema. [`step`] does the work later. A retired field is filled
/// from the start if a later schema adds it again.
pub(crate) fn note(conn: &mut Conn, version: &SchemaVersion) -> Result<(), JobError> {
    let project = Id(version.project_id.uuid());
    let registered: Vec<(i64, String, String, String)> = indexed_fields::table
        .filter(indexed_fields::project_id.eq(project))
        .filter(indexed_fields::state.ne("retired"))
        .select((indexed_fields::id, indexed_fields::table_name, indexed_fields::field, indexed_fields::kind))
        .load(conn)?;
    let columns = |IndexedField { table, field, kind }| (table, field, kind.as_str());
    let mut wanted: HashSet<(&str, &str, &str)> = version.document.indexed_fields().map(columns).collect();

    let unwanted = registered.iter().filter(|(_, table, field, kind)| !wanted.remove(&(table, field, kind)));
    let unwanted: Vec<i64> = unwanted.map(|(id, ..)| *id).collect();
    let retired = indexed_fields::table
        .filter(indexed_fields::project_id.eq(project))
        .filter(indexed_fields::id.eq_any(unwanted));
    diesel::update(retired).set(indexed_fields::state.eq("retired")).execute(conn)?;
    let last: Option<i64> = indexed_fields::table
        .filter(indexed_fields::project_id.eq(project))
        .select(max(indexed_fields::id))
        .get_result(conn)?;
    let row = |(id, (table, field, kind))| {
        (
            indexed_fields::project_id.eq(project),
            indexed_fields::id.eq(id),
            indexed_fields::table_name.eq(table),
            indexed_fields::field.eq(field),
            indexed_fields::kind.eq(kind),
            indexed_fields::state.eq("new"),
            indexed_fields::filled_user.eq(Id(Uuid::nil())),
            indexed_fields::filled_table.eq(""),
            indexed_fields::filled_item.eq(""),
        )
    };
    let ids = last.unwrap_or_default().saturating_add(1)..;
    let rows: Vec<_> = ids.zip(wanted).map(row).collect();
    diesel::insert_into(indexed_fields::table).values(rows).execute(conn)?;
    Ok(())
}

/// A field that is being filled, or whose keys are being deleted.
#[derive(Queryable)]
struct PendingField {
    id: i64,
    project_id: Id,
    table_name: String,
    kind: String,
    state: String,
    filled_user: Id,
    filled_table: String,
    filled_item: String,
}

/// The SQL types of [`PendingField`].
type PendingColumns = (BigInt, Uid, Text, Text, Text, Uid, Text, Text);

/// The condition of the index of pending fields. SQLite uses it only for statements that contain it literally.
const IS_PENDING: &str = "state <> 'filled'";

const NEXT_FIELD: &str = concatcp!(
    "SELECT id, project_id, table_name, kind, state, filled_user, filled_table, filled_item FROM indexed_fields \
     WHERE state <> 'filled' AND state <> 'new' AND project_id > $1 ORDER BY project_id, id LIMIT 1",
    CLAIM_LOCK
);

/// Does a bounded part of the pending work of the next project. Its fields are processed in the order in which they
/// were registered.
fn step(conn: &mut Conn, after: Option<ProjectId>, limit: u16) -> Result<IndexStep, JobError> {
    let is_new = || sql::<Bool>(IS_PENDING).sql(" AND state = 'new'");
    let has_new_fields = || diesel::select(exists(indexed_fields::table.filter(is_new())));
    if has_new_fields().get_result(conn)? {
        for statement in SETTLE_STATEMENTS {
            diesel::sql_query(statement).execute(conn)?;
        }
    }
    let field = conn.transaction(|conn| {
        let after = [Fragment::id(after.map_or(Uuid::nil(), ProjectId::uuid))];
        let next: Statement<PendingColumns> = Statement::numbered(NEXT_FIELD, &after);
        let field: Option<PendingField> = next.get_result(conn).optional()?;
        match &field {
            None => {}
            Some(field) if field.state == "retired" => drop_keys(conn, field, limit)?,
            Some(field) => fill(conn, field, limit)?,
        }
        Ok::<_, JobError>(field)
    })?;
    let project = field.map(|field| field.project_id.0.into());
    Ok(IndexStep { project, more: project.is_some() || has_new_fields().get_result(conn)? })
}

/// The next items of a project, in primary key order, so that no step scans more than its limit.
const SLICE: &str = concatcp!(
    "SELECT user_id, table_name, id FROM items \
     WHERE project_id = $1 AND (user_id, table_name, id) > ($2, $3, $4) ORDER BY user_id, table_name, id LIMIT $5",
    ROW_LOCK
);

/// Stores the keys of those of the project's next items that are in the field's table.
fn fill(conn: &mut Conn, field: &PendingField, limit: u16) -> Result<(), JobError> {
    conn.batch_execute(SHORT_LOCK_TIMEOUT)?;
    let [table, item] = [&field.filled_table, &field.filled_item].map(|text| Fragment::text(text.as_str()));
    let (project, user) = (Fragment::Id(field.project_id), Fragment::Id(field.filled_user));
    let slice: Statement<(Uid, Text, Text)> =
        Statement::numbered(SLICE, &[project, user, table, item, Fragment::Count(limit.into())]);
    let slice: Vec<(Id, String, String)> = slice.load(conn)?;
    for of_user in slice.chunk_by(|(one, ..), (next, ..)| one == next) {
        let mut of_table = of_user.iter().filter(|(_, table, _)| *table == field.table_name);
        let (Some((user, _, first)), last) = (of_table.next(), of_table.next_back()) else { continue };
        let last = last.map_or(first, |(.., last)| last);
        item_key::store(conn, (field.project_id, *user, &field.table_name), (first, last))?;
    }
    // The keys of all fields of the table were stored, so fields at the same position advance together.
    let fields = indexed_fields::table
        .filter(indexed_fields::project_id.eq(field.project_id))
        .filter(indexed_fields::table_name.eq(&field.table_name))
        .filter(indexed_fields::state.eq("filling"))
        .filter(indexed_fields::filled_user.eq(field.filled_user))
        .filter(indexed_fields::filled_table.eq(&field.filled_table))
        .filter(indexed_fields::filled_item.eq(&field.filled_item));
    match slice.last() {
        Some((user, table, item)) if slice.len() == usize::from(limit) => diesel::update(fields)
            .set((
                indexed_fields::filled_user.eq(*user),
                indexed_fields::filled_table.eq(table),
                indexed_fields::filled_item.eq(item),
            ))
            .execute(conn)?,
        _ => diesel::update(fields).set(indexed_fields::state.eq("filled")).execute(conn)?,
    };
    Ok(())
}

/// Deletes keys that no schema needs any more, and finally the field. Raw SQL, because Diesel's query builder does not
/// support DELETE with a limit. The condition on `is_text` selects the index in which the keys are adjacent.
fn drop_keys(conn: &mut Conn, field: &PendingField, limit: u16) -> Result<(), JobError> {
    const KEYS: &str = "DELETE FROM item_keys WHERE project_id = $1 AND field_id = $2 AND (owner_id, item_id) IN \
         (SELECT owner_id, item_id FROM item_keys WHERE project_id = $1 AND field_id = $2 AND ";
    let values = [Fragment::Id(field.project_id), Fragment::Count(field.id), Fragment::Count(limit.into())];
    let mut delete: Statement<()> = Statement::numbered(KEYS, &values);
    delete.push(if field.kind == "string" { "is_text LIMIT $3)" } else { "NOT is_text LIMIT $3)" }, &values);
    if delete.execute(conn)? < usize::from(limit) {
        diesel::delete(indexed_fields::table.find((field.project_id, field.id))).execute(conn)?;
    }
    Ok(())
}
