//! The items of all users of a project in one table. In the order of the primary key, they are looked up for one user after
//! the other, so that the items of other tables cost nothing. Everything else is a search among a limited number of the
//! project's items.

use std::collections::HashSet;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use serde_json::{Value, json};
use steward_domain::data::item_query::{ItemPosition, Operand, ProjectItems, Start};
use steward_domain::data::{ItemKey, ItemPath, ItemQuery, StoredItem, TableSize, TableSizes};
use steward_domain::kernel::{ProjectId, ProjectUserId, Rows};
use uuid::Uuid;

use super::Conn;
use super::dialect::{ITEMS_WITH_KEYS, KEY_ORDER, PROJECT_ITEMS, RowByRow, in_snapshot};
use super::item_list::{ProjectKey, project_search};
use super::kernel::page::{self, MeasuredRow, PageRows};
use super::kernel::statement::{Fragment, Statement};
use crate::error::JobError;
use crate::sql_types::{Id, Json, Uid};
use crate::tables::{ColumnValue as _, OwnedItemColumns, OwnedItemContent, project_users};

/// Numbers of users whose items are looked up: by the first statement, by later ones as a multiple of the one before, by
/// each at most, and in all. Each lookup is one search in the primary key and, in PostgreSQL, reads up to a page.
const FIRST_USERS: i64 = 16;
const GROWTH: i64 = 4;
const MOST_USERS: i64 = 64;
const MAX_USERS: usize = 2_000;
/// Maximum number of items that are examined on the interactive lane.
const MAX_FEW: u32 = 1_000;

impl MeasuredRow for OwnedItemContent {
    fn bytes(&self) -> usize {
        self.value.0.len()
    }
}

/// Lists items in the order of the primary key.
pub(crate) fn list(
    conn: &mut Conn,
    project: ProjectId,
    table: &str,
    query: &ItemQuery,
) -> Result<ProjectItems, JobError> {
    let (mut examined, mut stopped) = (0, None);
    let parse = |content: OwnedItemContent| content.in_table(project, table);
    let rows = in_key_order(conn, |conn| {
        page::read(
            query.size(),
            query.start().clone(),
            parse,
            |stored| query.start_after(stored),
            |start, part| {
                let mut at = position(start);
                let mut count = FIRST_USERS;
                while part.has_room() {
                    if examined >= MAX_USERS {
                        stopped = Some(at);
                        break;
                    }
                    let users: Vec<Id> = next_users(conn, project, at.user, count)?;
                    let Some(last) = users.last() else { break };
                    let list = lookup((project, table), &users, (&at, *last), part.limit());
                    part.take(list.load_iter::<OwnedItemContent, RowByRow>(conn)?)?;
                    if users.len() < usize::try_from(count).unwrap_or_default() {
                        break;
                    }
                    at = ItemPosition::after_all_of(last.load()?);
                    examined += users.len();
                    count = count.saturating_mul(GROWTH).min(MOST_USERS);
                }
                Ok(())
            },
        )
    })?;
    let next = next(query, &rows);
    Ok(ProjectItems { items: rows.items, next, stopped })
}

/// Runs reads on one snapshot with indexes in the order of the primary key, whatever the statistics are.
fn in_key_order<T>(conn: &mut Conn, read: impl FnOnce(&mut Conn) -> Result<T, JobError>) -> Result<T, JobError> {
    in_snapshot(conn, |conn| {
        conn.batch_execute(KEY_ORDER)?;
        read(conn)
    })
}

/// Returns where the next page starts.
fn next(query: &ItemQuery, rows: &Rows<StoredItem>) -> Option<Start> {
    rows.items.last().filter(|_| rows.more).map(|last| query.start_after(last))
}

/// Returns where a list in the order of the primary key starts.
fn position(start: &Start) -> ItemPosition {
    match start {
        Start::After(values) => match values.as_slice() {
            [Some(Operand::User(user)), Some(Operand::Text(id))] => ItemPosition { user: *user, id: id.clone() },
            _ => ItemPosition::start(),
        },
        Start::Offset(_) => ItemPosition::start(),
    }
}

/// Returns users that are not being deleted, by their IDs, from this one on.
fn next_users(conn: &mut Conn, project: ProjectId, from: ProjectUserId, limit: i64) -> QueryResult<Vec<Id>> {
    project_users::table
        .filter(project_users::project_id.eq(Id(project.uuid())))
        .filter(project_users::id.ge(Id(from.uuid())))
        .filter(project_users::deletion_started_at.is_null())
        .order(project_users::id)
        .limit(limit)
        .select(project_users::id)
        .load(conn)
}

/// Builds the statement that reads the items of these users, from a position on.
pub(crate) fn lookup(
    (project, table): (ProjectId, &str),
    users: &[Id],
    (at, last): (&ItemPosition, Id),
    limit: i64,
) -> Statement<OwnedItemColumns> {
    let ids: Value = users.iter().map(|user| user.0.to_string()).collect();
    let (first, id) = (Fragment::id(at.user), Fragment::text(&at.id));
    let (project, table) = (Fragment::id(project), Fragment::text(table));
    let values =
        [project, table, Fragment::Json(Json(ids.to_string())), first, id, Fragment::Id(last), Fragment::Count(limit)];
    Statement::numbered(PROJECT_ITEMS, &values)
}

/// Returns whether so few items have to be examined for a query that the interactive lane may do it.
pub(crate) fn are_few(conn: &mut Conn, scope: (ProjectId, &str), query: &ItemQuery) -> Result<bool, JobError> {
    let first = first_key(scope.1, query, query.start());
    in_key_order(conn, |conn| Ok(key_after(conn, scope.0, first.as_ref(), MAX_FEW)?.is_none()))
}

/// Returns the key after which a search starts. In another order than that of the primary key, it examines all items.
fn first_key(table: &str, query: &ItemQuery, start: &Start) -> Option<ProjectKey> {
    let at = position(start);
    let is_later = query.is_in_key_order() && at != ItemPosition::start();
    // After all items of a user: also after the user's other tables, or a search would stop among them again.
    let table = if at == ItemPosition::after_all_of(at.user) { at.id.clone() } else { table.to_owned() };
    is_later.then(|| (Id(at.user.uuid()), table, at.id))
}

/// Lists items that match conditions, or in another order.
pub(crate) fn search(
    conn: &mut Conn,
    (project, table): (ProjectId, &str),
    query: &ItemQuery,
) -> Result<ProjectItems, JobError> {
    in_key_order(conn, |conn| {
        let key = |start: &Start| first_key(table, query, start);
        let end = key_after(conn, project, key(query.start()).as_ref(), ItemQuery::MAX_EXAMINED)?;
        let parse = |content: OwnedItemContent| content.in_table(project, table);
        let start_after = |stored: &StoredItem| query.start_after(stored);
        let read = |start: &Start, part: &mut PageRows<OwnedItemContent>| {
            let list =
                project_search((project, table), query, (key(start).as_ref(), end.as_ref()), (start, part.limit()));
            part.take(list.load_iter::<OwnedItemContent, RowByRow>(conn)?)
        };
        let rows = page::read(query.size(), query.start().clone(), parse, start_after, read)?;
        let next = next(query, &rows);
        let items = without_deleted_users(conn, project, rows.items)?;
        // In the order of the primary key, nothing after the page was examined.
        let end = end.filter(|_| next.is_none() || !query.is_in_key_order());
        let stopped = end.map(|end| last_examined(end, table)).transpose()?;
        Ok(ProjectItems { items, next, stopped })
    })
}

/// Removes the items of users who are being deleted, so that nobody sees a part of them.
fn without_deleted_users(
    conn: &mut Conn,
    project: ProjectId,
    mut items: Vec<StoredItem>,
) -> QueryResult<Vec<StoredItem>> {
    let mut owners: Vec<Id> = items.iter().map(|stored| Id(stored.item.user_id.uuid())).collect();
    owners.dedup();
    let deleted = project_users::table
        .filter(project_users::project_id.eq(Id(project.uuid())))
        .filter(project_users::id.eq_any(owners))
        .filter(project_users::deletion_started_at.is_not_null());
    let deleted: Vec<Id> = deleted.select(project_users::id).load(conn)?;
    let deleted: HashSet<Uuid> = deleted.into_iter().map(|id| id.0).collect();
    items.retain(|stored| !deleted.contains(&stored.item.user_id.uuid()));
    Ok(items)
}

/// Returns the position in a table of the last item that was examined.
fn last_examined((user, found, id): ProjectKey, table: &str) -> Result<ItemPosition, JobError> {
    let user = user.load()?;
    Ok(match found.as_str().cmp(table) {
        std::cmp::Ordering::Less => ItemPosition { user, id: String::new() },
        std::cmp::Ordering::Equal => ItemPosition { user, id },
        std::cmp::Ordering::Greater => ItemPosition::after_all_of(user),
    })
}

/// Returns the key of the item that follows this number of items of the project, in the order of the primary key.
fn key_after(
    conn: &mut Conn,
    project: ProjectId,
    first: Option<&ProjectKey>,
    count: u32,
) -> QueryResult<Option<ProjectKey>> {
    let mut key: Statement<(Uid, Text, Text)> = Statement::new();
    key.push("SELECT user_id, table_name, id FROM items WHERE project_id = $1", &[Fragment::id(project)]);
    if let Some((user, table, id)) = first {
        let values = [Fragment::Id(*user), Fragment::text(table), Fragment::text(id)];
        key.push(" AND (user_id, table_name, id) > ($1, $2, $3)", &values);
    }
    key.push(" ORDER BY user_id, table_name, id LIMIT 1 OFFSET $1", &[Fragment::Count(count.into())]);
    key.get_result(conn).optional()
}

/// Returns which of the newest users have items with these keys, and whether there are more users.
pub(crate) fn paths(
    conn: &mut Conn,
    project: ProjectId,
    keys: &[ItemKey],
    limit: u16,
) -> Result<Rows<ItemPath>, JobError> {
    in_key_order(conn, |conn| {
        let newest = project_users::table
            .filter(project_users::project_id.eq(Id(project.uuid())))
            .filter(project_users::deletion_started_at.is_null())
            .order((project_users::created_at.desc(), project_users::id.desc()))
            .select(project_users::id);
        let mut users: Vec<Id> = newest.limit(i64::from(limit).saturating_add(1)).load(conn)?;
        let more = users.len() > usize::from(limit);
        users.truncate(limit.into());
        let rows: Vec<(Id, String, String)> = with_keys(project, &users, keys, limit).load(conn)?;
        let path = |(user, table, id): (Id, String, String)| {
            Ok(ItemPath { project_id: project, user_id: user.load()?, table, id: id.load()? })
        };
        Ok(Rows { items: rows.into_iter().map(path).collect::<Result<_, JobError>>()?, more })
    })
}

/// Builds the statement that finds the items of these users with these keys.
pub(crate) fn with_keys(
    project: ProjectId,
    users: &[Id],
    keys: &[ItemKey],
    limit: u16,
) -> Statement<(Uid, Text, Text)> {
    let users: Value = users.iter().map(|user| user.0.to_string()).collect();
    let keys: Value = keys.iter().map(|key| json!([key.table, key.id.as_str()])).collect();
    let [users, keys] = [users, keys].map(|values| Fragment::Json(Json(values.to_string())));
    Statement::numbered(ITEMS_WITH_KEYS, &[Fragment::id(project), users, keys, Fragment::Count(limit.into())])
}

/// Counts the first items of a project.
const SIZES: &str = "SELECT table_name, count(*), CAST(sum(bytes) AS bigint) FROM (SELECT table_name, bytes FROM items \
     WHERE project_id = $1 ORDER BY user_id, items.table_name, id LIMIT $2) AS counted \
     GROUP BY table_name ORDER BY table_name";

/// Returns the sizes of the tables among the first items of a project.
pub(crate) fn table_sizes(conn: &mut Conn, project: ProjectId) -> Result<TableSizes, JobError> {
    let max = i64::from(TableSizes::MAX_COUNTED);
    let sizes: Statement<(Text, BigInt, BigInt)> =
        Statement::numbered(SIZES, &[Fragment::id(project), Fragment::Count(max.saturating_add(1))]);
    let rows: Vec<(String, i64, i64)> = in_key_order(conn, |conn| Ok(sizes.load(conn)?))?;
    let counted: i64 = rows.iter().map(|(_, items, _)| items).sum();
    let size =
        |(table, items, bytes): (String, i64, i64)| Ok(TableSize { table, items: items.load()?, bytes: bytes.load()? });
    let tables = rows.into_iter().map(size).collect::<Result<_, JobError>>()?;
    Ok(TableSizes { tables, is_complete: counted <= max })
}

#[cfg(test)]
mod tests {
    use steward_domain::data::RawItemQuery;
    use steward_domain::data::schema::Document;

    use super::*;

    #[test]
    fn a_search_that_continues_after_a_user_skips_the_other_tables_of_the_user() {
        let query =
            ItemQuery::parse_of_project(&RawItemQuery::default(), &Document::unpublished("p"), "notes").unwrap();
        let key_at = |at: ItemPosition| {
            let start = Start::After(vec![Some(Operand::User(at.user)), Some(Operand::Text(at.id))]);
            first_key("notes", &query, &start).map(|(_, table, id)| (table, id))
        };
        let user = ProjectUserId::from(Uuid::max());
        assert_eq!(key_at(ItemPosition::start()), None);
        let id = "a".to_owned();
        assert_eq!(key_at(ItemPosition { user, id: id.clone() }), Some(("notes".to_owned(), id)));
        let (table, _) = key_at(ItemPosition::after_all_of(user)).unwrap();
        assert!(table.as_str() > "zzz");
    }
}
