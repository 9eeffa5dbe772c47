//! Items in rows. A write is one conditional statement: it happens only where the precondition holds and the user is
//! connected, and nothing is read first.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::changes::ItemPlace;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccessBasis, Item, ItemId, ItemKey, ItemQuery, ItemValue, PageSize, Precondition, ProjectId, ProjectUserId,
    Revision, Rows, StoredItem, Time, UserStatus,
};
use steward_domain::ports::ItemOutcome;

use super::item_list::{Columns, item_list};
use super::item_path::Path;
use super::page::{self, MeasuredRow, PageRows};
use super::statement::Statement;
use super::{Conn, RowByRow, access_epoch, audit, item_key, item_path, quota};
use crate::error::JobError;
use crate::sql_types::{At, Id, Json, Uid};
use crate::tables::items;

#[derive(Queryable, Selectable)]
#[diesel(table_name = items)]
pub(super) struct Row {
    pub(super) project_id: Id,
    pub(super) user_id: Id,
    pub(super) table_name: String,
    pub(super) id: String,
    value: Json,
    created_at: At,
    updated_at: At,
    revision: i64,
}

impl TryFrom<Row> for StoredItem {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            item: Item {
                project_id: row.project_id.0.into(),
                user_id: row.user_id.0.into(),
                table: row.table_name,
                id: ItemId::parse(&row.id).map_err(JobError::corrupt)?,
                value: ItemValue::stored(row.value.0),
            },
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
            revision: Revision(row.revision),
        })
    }
}

impl MeasuredRow for Row {
    fn bytes(&self) -> usize {
        self.value.0.len()
    }
}

/// How much a list of items may look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanLimit {
    /// What an index bounds, or the size of a small table.
    Bounded,
    /// All of the user's items in the table.
    Any,
}

/// The items that are asked for. `None`: it takes more effort than that.
pub(super) fn list(
    conn: &mut Conn,
    project: ProjectId,
    user: ProjectUserId,
    table: &str,
    query: &ItemQuery,
    basis: &AccessBasis,
    effort: ScanLimit,
) -> Result<Option<Rows<StoredItem>>, JobError> {
    let place = (project, user, table);
    if item_path::is_bounded(query, &Path::Through) {
        return found(conn, place, query, &Path::Through, basis).map(Some);
    }
    super::at_the_same_time(conn, |conn| {
        let asks_for_a_field = item_path::asks_for_a_field(query);
        let path = if asks_for_a_field { item_path::choose(conn, place, query)? } else { Path::Through };
        let is_affordable =
            effort == ScanLimit::Any || item_path::is_bounded(query, &path) || item_path::is_small(conn, place)?;
        if is_affordable { found(conn, place, query, &path, basis).map(Some) } else { Ok(None) }
    })
}

fn found(
    conn: &mut Conn,
    place: (ProjectId, ProjectUserId, &str),
    query: &ItemQuery,
    path: &Path,
    basis: &AccessBasis,
) -> Result<Rows<StoredItem>, JobError> {
    let after = |stored: &StoredItem| query.start_after(stored);
    // The first part is the one that proves it: a list does not end because something changes while it is read.
    let mut to_prove = *basis;
    page::read(query.size(), query.start().clone(), Row::try_into, after, |start, part: &mut PageRows<Row>| {
        let list = item_list(place, query, path, (start, part.limit()), &std::mem::take(&mut to_prove));
        part.take(list.load_iter::<Row, RowByRow>(conn)?)
    })
}

pub(super) fn with_ids(
    conn: &mut Conn,
    project: ProjectId,
    user: ProjectUserId,
    table: &str,
    ids: &[ItemId],
) -> Result<Vec<StoredItem>, JobError> {
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
    after: Option<ItemKey>,
    size: PageSize,
) -> Result<Vec<StoredItem>, JobError> {
    let key = |stored: &StoredItem| Some(ItemKey { table: stored.item.table.clone(), id: stored.item.id.clone() });
    let rows = page::read(size, after, Row::try_into, key, |after, part: &mut PageRows<Row>| {
        let mut query = items::table
            .filter(items::project_id.eq(Id(project.uuid())))
            .filter(items::user_id.eq(Id(user.uuid())))
            .select(Row::as_select())
            .order((items::table_name.asc(), items::id.asc()))
            .limit(part.limit())
            .into_boxed();
        if let Some(key) = after {
            let same = items::table_name.eq(key.table.clone()).and(items::id.gt(key.id.as_str().to_owned()));
            query = query.filter(items::table_name.gt(key.table.clone()).or(same));
        }
        part.take(query.load_iter::<Row, RowByRow>(conn)?)
    })?;
    Ok(rows.items)
}

pub(super) fn by_place(
    conn: &mut Conn,
    place: &ItemPlace,
    basis: &AccessBasis,
) -> Result<Option<StoredItem>, JobError> {
    let row: Option<Row> = read(place, basis).get_result(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

/// The statement that reads one item.
pub(super) fn read(place: &ItemPlace, basis: &AccessBasis) -> Statement<Columns> {
    let mut read: Statement<Columns> = Statement::new();
    read.sql(
        "SELECT project_id, user_id, table_name, id, value, created_at, updated_at, revision FROM items \
         WHERE project_id = ",
    );
    read.id(place.project_id.uuid());
    read.sql(" AND user_id = ");
    read.id(place.user_id.uuid());
    read.sql(" AND table_name = ");
    read.text(&place.table);
    read.sql(" AND id = ");
    read.text(place.id.as_str());
    access_epoch::prove(&mut read, basis);
    read
}

pub(super) fn put(
    conn: &mut Conn,
    item: &Item,
    when: &Precondition,
    at: Time,
    recording: Recording<'_>,
) -> Result<ItemOutcome, JobError> {
    let row = match when {
        Precondition::None => insert(conn, item, at, Some(&[]), recording)?,
        Precondition::NoneOf(unwanted) => insert(conn, item, at, Some(unwanted), recording)?,
        Precondition::Absent => insert(conn, item, at, None, recording)?,
        Precondition::Exists => update(conn, item, at, None, recording)?,
        Precondition::Matches(wanted) => update(conn, item, at, Some(wanted), recording)?,
    };
    let stored = StoredItem::try_from(row.ok_or(JobError::Stale(ResourceKind::Item))?)?;
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
    recording: Recording<'_>,
) -> Result<Option<Row>, JobError> {
    let value = Json(item.value.as_str().to_owned());
    let bytes = i64::try_from(value.0.len()).map_err(JobError::corrupt)?;
    let mut insert: Statement<Written> = Statement::new();
    insert.sql(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
         SELECT project_id, id, ",
    );
    insert.text(&item.table);
    insert.sql(", ");
    insert.text(item.id.as_str());
    insert.sql(", ");
    insert.json(value);
    insert.sql(", ");
    insert.at(At(at));
    insert.sql(", ");
    insert.at(At(at));
    insert.sql(", ");
    insert.count(Item::first_revision(at).0);
    insert.sql(", ");
    insert.count(bytes);
    insert.sql(" FROM project_users WHERE ");
    is_connected(&mut insert, item.project_id, item.user_id);
    access_epoch::prove(&mut insert, recording.basis);
    insert.sql(" ON CONFLICT (project_id, user_id, table_name, id)");
    match overwrite {
        None => insert.sql(" DO NOTHING"),
        Some(unwanted) => {
            insert.sql(
                " DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, revision = items.revision + 1, \
                 bytes = excluded.bytes, bytes_before = ",
            );
            insert.sql(super::STORED_BYTES);
            if !unwanted.is_empty() {
                insert.sql(" WHERE items.revision NOT IN ");
                list_revisions(&mut insert, unwanted);
            }
        }
    }
    insert.sql(RETURNING);
    insert.sql(PUT);
    recorded(conn, insert, recording)
}

/// Overwrites the item if it is there, has one of the wanted revisions (`None`: any), and its user is connected.
fn update(
    conn: &mut Conn,
    item: &Item,
    at: Time,
    wanted: Option<&[Revision]>,
    recording: Recording<'_>,
) -> Result<Option<Row>, JobError> {
    let value = Json(item.value.as_str().to_owned());
    let bytes = i64::try_from(value.0.len()).map_err(JobError::corrupt)?;
    let mut update: Statement<Written> = Statement::new();
    update.sql("UPDATE items SET bytes_before = ");
    update.sql(super::STORED_BYTES);
    update.sql(", bytes = ");
    update.count(bytes);
    update.sql(", value = ");
    update.json(value);
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
    is_connected(&mut update, item.project_id, item.user_id);
    update.sql(")");
    access_epoch::prove(&mut update, recording.basis);
    if let Some(wanted) = wanted {
        update.sql(" AND revision IN ");
        list_revisions(&mut update, wanted);
    }
    update.sql(RETURNING);
    update.sql(PUT);
    recorded(conn, update, recording)
}

/// With what a write of an item is stored: its event, and the row that counts the items of its project.
pub(super) struct Recording<'a> {
    pub(super) event: audit::ItemChange<'a>,
    pub(super) project: Id,
    pub(super) shard: i16,
    pub(super) keys: Keys,
    /// What the write rests on.
    pub(super) basis: &'a AccessBasis,
}

/// What a write does to the keys of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// The item has none.
    None,
    Stored,
    Deleted,
}

/// The columns of an item, how many items there are more, and how many bytes.
pub(super) type Written = (Columns, BigInt, BigInt);

fn recorded(conn: &mut Conn, written: Statement<Written>, recording: Recording<'_>) -> Result<Option<Row>, JobError> {
    let written: Option<(Row, i64, i64)> = super::recorded(conn, written, recording)?;
    Ok(written.map(|(row, ..)| row))
}

/// What an insert or update of an item adds.
const PUT: &str = ", CAST(CASE WHEN bytes_before IS NULL THEN 1 ELSE 0 END AS bigint) AS item_change, \
     bytes - coalesce(bytes_before, 0) AS byte_change";

const RETURNING: &str = " RETURNING project_id, user_id, table_name, id, value, created_at, updated_at, revision";

/// Whether a row is that of the item's user, who is connected.
fn is_connected(statement: &mut Statement<Written>, project: ProjectId, user: ProjectUserId) {
    statement.sql("project_users.project_id = ");
    statement.id(project.uuid());
    statement.sql(" AND project_users.id = ");
    statement.id(user.uuid());
    statement.sql(" AND project_users.status = ");
    statement.text(UserStatus::Connected.as_str());
}

/// The revisions as a list of which there may be none.
fn list_revisions(statement: &mut Statement<Written>, revisions: &[Revision]) {
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
    recording: Recording<'_>,
) -> Result<ItemOutcome, JobError> {
    if matches!(when, Precondition::Absent) {
        return Err(JobError::Stale(ResourceKind::Item));
    }
    let mut delete: Statement<Written> = Statement::new();
    delete.sql("DELETE FROM items WHERE project_id = ");
    delete.id(place.project_id.uuid());
    delete.sql(" AND user_id = ");
    delete.id(place.user_id.uuid());
    delete.sql(" AND table_name = ");
    delete.text(&place.table);
    delete.sql(" AND id = ");
    delete.text(place.id.as_str());
    delete.sql(" AND EXISTS (SELECT 1 FROM project_users WHERE ");
    is_connected(&mut delete, place.project_id, place.user_id);
    delete.sql(")");
    access_epoch::prove(&mut delete, recording.basis);
    match when {
        Precondition::None | Precondition::Exists | Precondition::Absent => {}
        Precondition::Matches(wanted) => {
            delete.sql(" AND revision IN ");
            list_revisions(&mut delete, wanted);
        }
        Precondition::NoneOf(unwanted) if unwanted.is_empty() => {}
        Precondition::NoneOf(unwanted) => {
            delete.sql(" AND revision NOT IN ");
            list_revisions(&mut delete, unwanted);
        }
    }
    delete.sql(RETURNING);
    delete.sql(", CAST(-1 AS bigint) AS item_change, -");
    delete.sql(super::STORED_BYTES);
    delete.sql(" AS byte_change");
    let row = recorded(conn, delete, recording)?;
    let stored = StoredItem::try_from(row.ok_or(JobError::Stale(ResourceKind::Item))?)?;
    Ok(ItemOutcome { stored, created: false })
}

#[derive(QueryableByName)]
#[diesel(table_name = items)]
struct ErasedRow {
    table_name: String,
    id: String,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

/// Removes at most this many of the user's items, and returns how many. Diesel's query builder has no bounded DELETE.
pub(super) fn erase(conn: &mut Conn, project: ProjectId, user: ProjectUserId, most: u16) -> Result<usize, JobError> {
    let erase = format!(
        "DELETE FROM items WHERE (project_id, user_id, table_name, id) IN (SELECT project_id, user_id, table_name, id \
         FROM items WHERE project_id = $1 AND user_id = $2 LIMIT $3) RETURNING table_name, id, {} AS bytes",
        super::STORED_BYTES
    );
    let erase = diesel::sql_query(erase).bind::<Uid, _>(Id(project.uuid())).bind::<Uid, _>(Id(user.uuid()));
    let erased: Vec<ErasedRow> = erase.bind::<BigInt, _>(i64::from(most)).load(conn)?;
    let keys = erased.iter().map(|erased| (erased.table_name.as_str(), erased.id.as_str()));
    item_key::delete(conn, (Id(project.uuid()), Id(user.uuid())), keys)?;
    let items = i64::try_from(erased.len()).map_err(JobError::corrupt)?;
    let bytes: i64 = erased.iter().map(|erased| erased.bytes).sum();
    quota::counted(conn, project.uuid(), 0, -items, -bytes)?;
    Ok(erased.len())
}
