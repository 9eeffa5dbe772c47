//! Fields that schemas call indexed. Every write of an item stores its key for each of them; here the fields are noted, and
//! filled step by step with the items from before.

use std::collections::HashSet;

use diesel::connection::SimpleConnection as _;
use diesel::dsl::{exists, max};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use steward_domain::model::ProjectId;
use steward_domain::model::schema::{IndexedField, SchemaVersion};
use steward_domain::ports::IndexStep;
use uuid::Uuid;

use super::{CLAIM_LOCK, Conn, ROW_LOCK, SETTLE_STATEMENTS, SHORT_LOCK_TIMEOUT, item_key};
use crate::error::JobError;
use crate::sql_types::{Id, Uid};
use crate::tables::indexed_fields;

/// Notes which fields a newly published schema wants indexed. What that takes is done later, by [`step`]. A field that was
/// given up begins anew if it comes back.
pub(super) fn note(conn: &mut Conn, version: &SchemaVersion) -> Result<(), JobError> {
    let project = Id(version.project_id.uuid());
    let known: Vec<(i64, String, String, String)> = indexed_fields::table
        .filter(indexed_fields::project_id.eq(project))
        .filter(indexed_fields::state.ne("retired"))
        .select((indexed_fields::id, indexed_fields::table_name, indexed_fields::field, indexed_fields::kind))
        .load(conn)?;
    let named = |IndexedField { table, field, kind }| (table, field, kind.as_str());
    let mut wanted: HashSet<(&str, &str, &str)> = version.document.indexed_fields().map(named).collect();

    let unwanted = known.iter().filter(|(_, table, field, kind)| !wanted.remove(&(table, field, kind)));
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

/// A field that is being filled, or whose keys are being dropped.
#[derive(QueryableByName)]
#[diesel(table_name = indexed_fields)]
struct Open {
    id: i64,
    project_id: Id,
    table_name: String,
    kind: String,
    state: String,
    filled_user: Id,
    filled_table: String,
    filled_item: String,
}

const OPEN: &str = "SELECT id, project_id, table_name, kind, state, filled_user, filled_table, filled_item FROM indexed_fields \
     WHERE state <> 'filled' AND state <> 'new' AND project_id > $1 ORDER BY project_id, id LIMIT 1";

pub(super) fn has_work(conn: &mut Conn) -> Result<bool, JobError> {
    let open = indexed_fields::table.filter(indexed_fields::state.ne("filled"));
    Ok(diesel::select(exists(open)).get_result(conn)?)
}

/// Does a bounded part of what is to be done for the next project: its fields in the order in which they were noted.
pub(super) fn step(conn: &mut Conn, after: Option<ProjectId>, most: u16) -> Result<IndexStep, JobError> {
    let waiting = || diesel::select(exists(indexed_fields::table.filter(indexed_fields::state.eq("new"))));
    if waiting().get_result(conn)? {
        for statement in SETTLE_STATEMENTS {
            diesel::sql_query(statement).execute(conn)?;
        }
    }
    let open = conn.transaction(|conn| {
        let after = Id(after.map_or(Uuid::nil(), ProjectId::uuid));
        let next = diesel::sql_query(format!("{OPEN}{CLAIM_LOCK}")).bind::<Uid, _>(after);
        let open: Option<Open> = next.get_result(conn).optional()?;
        match &open {
            None => {}
            Some(open) if open.state == "retired" => drop_keys(conn, open, most)?,
            Some(open) => fill(conn, open, most)?,
        }
        Ok::<_, JobError>(open)
    })?;
    let project = open.map(|open| open.project_id.0.into());
    Ok(IndexStep { project, more: project.is_some() || waiting().get_result(conn)? })
}

/// The next items of a project, in the order of their primary key, so that no step looks at more than it may.
const SLICE: &str = "SELECT user_id, table_name, id FROM items \
     WHERE project_id = $1 AND (user_id, table_name, id) > ($2, $3, $4) ORDER BY user_id, table_name, id LIMIT $5";

#[derive(QueryableByName)]
#[diesel(table_name = crate::tables::items)]
struct FieldPosition {
    user_id: Id,
    table_name: String,
    id: String,
}

/// Stores the keys of what is of the field's table among the next items of the project.
fn fill(conn: &mut Conn, open: &Open, most: u16) -> Result<(), JobError> {
    conn.batch_execute(SHORT_LOCK_TIMEOUT)?;
    let slice: Vec<FieldPosition> = diesel::sql_query(format!("{SLICE}{ROW_LOCK}"))
        .bind::<Uid, _>(open.project_id)
        .bind::<Uid, _>(open.filled_user)
        .bind::<Text, _>(&open.filled_table)
        .bind::<Text, _>(&open.filled_item)
        .bind::<BigInt, _>(i64::from(most))
        .load(conn)?;
    let of_table = |place: &&FieldPosition| place.table_name == open.table_name;
    for of_user in slice.chunk_by(|one, next| one.user_id == next.user_id) {
        let mut ids = of_user.iter().filter(of_table);
        let (Some(first), last) = (ids.next(), ids.next_back()) else { continue };
        let place = (open.project_id, first.user_id, open.table_name.as_str());
        item_key::store(conn, place, (&first.id, &last.unwrap_or(first).id))?;
    }
    // Keys of all fields were stored: those that are as far as this one come with it.
    let fields = indexed_fields::table
        .filter(indexed_fields::project_id.eq(open.project_id))
        .filter(indexed_fields::table_name.eq(&open.table_name))
        .filter(indexed_fields::state.eq("filling"))
        .filter(indexed_fields::filled_user.eq(open.filled_user))
        .filter(indexed_fields::filled_table.eq(&open.filled_table))
        .filter(indexed_fields::filled_item.eq(&open.filled_item));
    match slice.last() {
        Some(last) if slice.len() == usize::from(most) => diesel::update(fields)
            .set((
                indexed_fields::filled_user.eq(last.user_id),
                indexed_fields::filled_table.eq(&last.table_name),
                indexed_fields::filled_item.eq(&last.id),
            ))
            .execute(conn)?,
        _ => diesel::update(fields).set(indexed_fields::state.eq("filled")).execute(conn)?,
    };
    Ok(())
}

/// Diesel's query builder has no bounded DELETE. Which kind of keys they are names the index in which they stand together.
const DROP_TEXTS: &str = "DELETE FROM item_keys WHERE project_id = $1 AND field_id = $2 AND (owner_id, item_id) IN \
     (SELECT owner_id, item_id FROM item_keys WHERE project_id = $1 AND field_id = $2 AND is_text LIMIT $3)";
const DROP_NUMBERS: &str = "DELETE FROM item_keys WHERE project_id = $1 AND field_id = $2 AND (owner_id, item_id) IN \
     (SELECT owner_id, item_id FROM item_keys WHERE project_id = $1 AND field_id = $2 AND NOT is_text LIMIT $3)";

/// Drops keys that no schema wants any more, and at last the field.
fn drop_keys(conn: &mut Conn, open: &Open, most: u16) -> Result<(), JobError> {
    let drop = diesel::sql_query(if open.kind == "string" { DROP_TEXTS } else { DROP_NUMBERS });
    let drop = drop.bind::<Uid, _>(open.project_id).bind::<BigInt, _>(open.id);
    let dropped = drop.bind::<BigInt, _>(i64::from(most)).execute(conn)?;
    if dropped < usize::from(most) {
        diesel::delete(indexed_fields::table.find((open.project_id, open.id))).execute(conn)?;
    }
    Ok(())
}
