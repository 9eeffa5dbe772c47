//! Items in rows. A write is one conditional statement: it happens only where the precondition holds and the user is
//! connected, and nothing is read first.

use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use serde_json::{Map, Value};
use steward_domain::changes::ItemPlace;
use steward_domain::error::Kind;
use steward_domain::model::{
    Item, ItemId, ItemKey, ItemQuery, Precondition, ProjectId, ProjectUserId, Revision, StoredItem, Time, UserStatus,
};
use steward_domain::ports::ItemOutcome;

use super::item_list::{Columns, item_list};
use super::item_path::Path;
use super::statement::Statement;
use super::{Conn, audit, item_path};
use crate::error::Fault;
use crate::sql_types::{At, Id, Json, Uid};
use crate::tables::{items, project_users};

#[derive(Queryable, Selectable)]
#[diesel(table_name = items)]
pub(super) struct Row {
    project_id: Id,
    user_id: Id,
    table_name: String,
    id: String,
    value: Json,
    created_at: At,
    updated_at: At,
    revision: i64,
}

impl TryFrom<Row> for StoredItem {
    type Error = Fault;

    fn try_from(row: Row) -> Result<Self, Fault> {
        let value: Map<String, Value> = serde_json::from_str(&row.value.0).map_err(Fault::corrupt)?;
        Ok(Self {
            item: Item {
                project_id: row.project_id.0.into(),
                user_id: row.user_id.0.into(),
                table: row.table_name,
                id: ItemId::parse(&row.id).map_err(Fault::corrupt)?,
                value,
            },
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
            revision: Revision(row.revision),
        })
    }
}

pub(super) fn list(
    conn: &mut Conn,
    project: ProjectId,
    user: ProjectUserId,
    table: &str,
    query: &ItemQuery,
) -> Result<Vec<StoredItem>, Fault> {
    let place = (project, user, table);
    let rows: Vec<Row> = if item_path::asks_for_a_field(query) {
        super::at_one_moment(conn, |conn| {
            let path = item_path::choose(conn, place, query)?;
            Ok(item_list(place, query, &path).load(conn)?)
        })?
    } else {
        item_list(place, query, &Path::Through).load(conn)?
    };
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(super) fn with_ids(
    conn: &mut Conn,
    project: ProjectId,
    user: ProjectUserId,
    table: &str,
    ids: &[ItemId],
) -> Result<Vec<StoredItem>, Fault> {
    let rows: Vec<Row> = items::table
        .filter(items::project_id.eq(Id(project.uuid())))
        .filter(items::user_id.eq(Id(user.uuid())))
        .filter(items::table_name.eq(table))
        .filter(items::id.eq_any(ids.iter().map(ItemId::as_str)))
        .select(Row::as_select())
        .load(conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(super) fn after(
    conn: &mut Conn,
    project: ProjectId,
    user: ProjectUserId,
    after: Option<&ItemKey>,
    most: u16,
) -> Result<Vec<StoredItem>, Fault> {
    let mut query = items::table
        .filter(items::project_id.eq(Id(project.uuid())))
        .filter(items::user_id.eq(Id(user.uuid())))
        .select(Row::as_select())
        .order((items::table_name.asc(), items::id.asc()))
        .limit(i64::from(most))
        .into_boxed();
    if let Some(key) = after {
        let same = items::table_name.eq(key.table.clone()).and(items::id.gt(key.id.as_str().to_owned()));
        query = query.filter(items::table_name.gt(key.table.clone()).or(same));
    }
    query.load::<Row>(conn)?.into_iter().map(TryInto::try_into).collect()
}

pub(super) fn by_place(conn: &mut Conn, place: &ItemPlace) -> Result<Option<StoredItem>, Fault> {
    let key = (Id(place.project_id.uuid()), Id(place.user_id.uuid()), &place.table, place.id.as_str());
    let row = items::table.find(key).select(Row::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn put(
    conn: &mut Conn,
    item: &Item,
    when: &Precondition,
    at: Time,
    event: audit::Row<'_>,
) -> Result<ItemOutcome, Fault> {
    let row = match when {
        Precondition::None => insert(conn, item, at, Some(&[]), event)?,
        Precondition::NoneOf(unwanted) => insert(conn, item, at, Some(unwanted), event)?,
        Precondition::Absent => insert(conn, item, at, None, event)?,
        Precondition::Exists => update(conn, item, at, None, event)?,
        Precondition::Matches(wanted) => update(conn, item, at, Some(wanted), event)?,
    };
    let stored = StoredItem::try_from(row.ok_or(Fault::Stale(Kind::Item))?)?;
    // A row that wears the first revision of this very moment was not there before.
    let created = stored.created_at == at && stored.revision == Item::first_revision(at);
    Ok(ItemOutcome { stored, created })
}

/// Inserts the item if its user is there and connected. An item that is there already is overwritten unless it has one
/// of the unwanted revisions; `None`: it stays. Not left to Diesel's query builder, which has every upsert and update
/// prepared anew: that takes longer than writing.
fn insert(
    conn: &mut Conn,
    item: &Item,
    at: Time,
    overwrite: Option<&[Revision]>,
    event: audit::Row<'_>,
) -> Result<Option<Row>, Fault> {
    let mut insert: Statement<Columns> = Statement::new();
    insert.sql(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision) \
         SELECT project_id, id, ",
    );
    insert.text(&item.table);
    insert.sql(", ");
    insert.text(item.id.as_str());
    insert.sql(", ");
    insert.json(json(item));
    insert.sql(", ");
    insert.at(At(at));
    insert.sql(", ");
    insert.at(At(at));
    insert.sql(", ");
    insert.count(Item::first_revision(at).0);
    insert.sql(" FROM project_users WHERE ");
    is_connected(&mut insert, item);
    insert.sql(" ON CONFLICT (project_id, user_id, table_name, id)");
    match overwrite {
        None => insert.sql(" DO NOTHING"),
        Some(unwanted) => {
            insert.sql(
                " DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, revision = items.revision + 1",
            );
            if !unwanted.is_empty() {
                insert.sql(" WHERE items.revision NOT IN ");
                list_revisions(&mut insert, unwanted);
            }
        }
    }
    insert.sql(RETURNING);
    Ok(super::recorded(conn, insert, event)?)
}

/// Overwrites the item if it is there, has one of the wanted revisions (`None`: any), and its user is connected.
fn update(
    conn: &mut Conn,
    item: &Item,
    at: Time,
    wanted: Option<&[Revision]>,
    event: audit::Row<'_>,
) -> Result<Option<Row>, Fault> {
    let mut update: Statement<Columns> = Statement::new();
    update.sql("UPDATE items SET value = ");
    update.json(json(item));
    update.sql(", updated_at = ");
    update.at(At(at));
    update.sql(", revision = revision + 1 WHERE project_id = ");
    update.id(item.project_id.uuid());
    update.sql(" AND user_id = ");
    update.id(item.user_id.uuid());
    update.sql(" AND table_name = ");
    update.text(&item.table);
    update.sql(" AND id = ");
    update.text(item.id.as_str());
    update.sql(" AND EXISTS (SELECT 1 FROM project_users WHERE ");
    is_connected(&mut update, item);
    update.sql(")");
    if let Some(wanted) = wanted {
        update.sql(" AND revision IN ");
        list_revisions(&mut update, wanted);
    }
    update.sql(RETURNING);
    Ok(super::recorded(conn, update, event)?)
}

const RETURNING: &str = " RETURNING project_id, user_id, table_name, id, value, created_at, updated_at, revision";

/// Whether a row is that of the item's user, who is connected.
fn is_connected(statement: &mut Statement<Columns>, item: &Item) {
    statement.sql("project_users.project_id = ");
    statement.id(item.project_id.uuid());
    statement.sql(" AND project_users.id = ");
    statement.id(item.user_id.uuid());
    statement.sql(" AND project_users.status = ");
    statement.text(UserStatus::Connected.as_str());
}

/// The revisions as a list of which there may be none.
fn list_revisions(statement: &mut Statement<Columns>, revisions: &[Revision]) {
    if revisions.len() > 1 {
        statement.is_rare();
    }
    statement.sql(if revisions.is_empty() { "(NULL" } else { "(" });
    for (place, revision) in revisions.iter().enumerate() {
        statement.sql(if place == 0 { "" } else { ", " });
        statement.count(revision.0);
    }
    statement.sql(")");
}

/// Removes the item if the precondition holds and its user is connected.
pub(super) fn remove(
    conn: &mut Conn,
    place: &ItemPlace,
    when: &Precondition,
    event: audit::Row<'_>,
) -> Result<ItemOutcome, Fault> {
    let target = items::table
        .filter(items::project_id.eq(Id(place.project_id.uuid())))
        .filter(items::user_id.eq(Id(place.user_id.uuid())))
        .filter(items::table_name.eq(&place.table))
        .filter(items::id.eq(place.id.as_str()))
        .filter(exists(connected(place.project_id, place.user_id)));
    let row = match when {
        Precondition::None | Precondition::Exists => {
            super::recorded(conn, diesel::delete(target).returning(Row::as_returning()), event)?
        }
        Precondition::Matches(wanted) => {
            let delete = diesel::delete(target.filter(items::revision.eq_any(numbers(wanted))));
            super::recorded(conn, delete.returning(Row::as_returning()), event)?
        }
        Precondition::NoneOf(unwanted) => {
            let delete = diesel::delete(target.filter(items::revision.ne_all(numbers(unwanted))));
            super::recorded(conn, delete.returning(Row::as_returning()), event)?
        }
        Precondition::Absent => None,
    };
    let stored = StoredItem::try_from(row.ok_or(Fault::Stale(Kind::Item))?)?;
    Ok(ItemOutcome { stored, created: false })
}

/// Diesel's query builder has no bounded DELETE.
const ERASE: &str = "DELETE FROM items WHERE (project_id, user_id, table_name, id) IN \
     (SELECT project_id, user_id, table_name, id FROM items WHERE project_id = $1 AND user_id = $2 LIMIT $3)";

/// Removes at most so many of the user's items, and tells how many it were.
pub(super) fn erase(conn: &mut Conn, project: ProjectId, user: ProjectUserId, most: u16) -> Result<usize, Fault> {
    let erase = diesel::sql_query(ERASE).bind::<Uid, _>(Id(project.uuid())).bind::<Uid, _>(Id(user.uuid()));
    Ok(erase.bind::<BigInt, _>(i64::from(most)).execute(conn)?)
}

/// The row of the user, if they are connected.
#[diesel::dsl::auto_type(no_type_alias)]
fn connected(project: ProjectId, user: ProjectUserId) -> _ {
    let (project, user): (Id, Id) = (Id(project.uuid()), Id(user.uuid()));
    let status: &'static str = UserStatus::Connected.as_str();
    project_users::table
        .filter(project_users::project_id.eq(project))
        .filter(project_users::id.eq(user))
        .filter(project_users::status.eq(status))
}

fn json(item: &Item) -> Json {
    Json(Value::Object(item.value.clone()).to_string())
}

fn numbers(revisions: &[Revision]) -> Vec<i64> {
    revisions.iter().map(|revision| revision.0).collect()
}
