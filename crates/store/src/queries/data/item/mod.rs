//! Queries that read items.

pub(crate) mod item_deletion;
pub(crate) mod item_import;
pub(super) mod item_index;
pub(crate) mod item_key;
pub(crate) mod item_list;
pub(crate) mod item_path;
mod item_path_choice;
pub(crate) mod item_proofs;
pub(crate) mod item_recording;
pub(crate) mod item_steps;
pub(crate) mod item_write;
pub(crate) mod mismatch;
pub(crate) mod project_items;

use async_trait::async_trait;
use diesel::connection::DefaultLoadingMode;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use steward_domain::data::item_query::{ProjectItems, Start};
use steward_domain::data::schema::{MismatchQuery, Mismatches};
use steward_domain::data::{
    DeletedItem, ItemDeletion, ItemId, ItemKey, ItemPath, ItemQuery, ItemReader, StoredItem, TableSizes,
};
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::Work;
use steward_domain::kernel::{AccessBasis, ItemDeletionId, PageSize, ProjectId, ProjectUserId, Rows, StoreError};

use self::item_list::{item_list, start_without_value};
use self::item_path::Path;
use super::deleted_user::push_not_being_deleted;
use super::dialect::{RowByRow, in_snapshot};
use super::kernel::access_epoch;
use super::kernel::page::{self, MeasuredRow, PageRows};
use super::kernel::statement::{Fragment, Statement};
use super::{Backend, Conn, Database, Layout, administration, deleted_user, dialect, kernel, prove, recorded};
use crate::error::JobError;
use crate::recent_set::SmallTables;
use crate::sql_types::Id;
use crate::tables::{
    ColumnValue as _, ItemContent, ItemContentColumns, ItemDeletionRow, ItemRow, item_deletions, items,
};

/// Maximum number of rows of a page that SQLite reads on the calling thread. They have at most 4 MiB, and the response
/// that contains them is written there, too.
const SHORT_PAGE: u16 = 100;

impl MeasuredRow for ItemContent {
    fn bytes(&self) -> usize {
        self.value.0.len()
    }
}

impl MeasuredRow for ItemRow {
    fn bytes(&self) -> usize {
        self.value.0.len()
    }
}

#[async_trait]
impl ItemReader for Database {
    async fn items(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        query: &ItemQuery,
        basis: &AccessBasis,
    ) -> Result<Rows<StoredItem>, StoreError> {
        let (scope, query, basis) = ((project, user, table.to_owned()), query.clone(), *basis);
        if Work::current().lane == Lane::Interactive {
            let (scope, query, small_tables) = (scope.clone(), query.clone(), self.small_tables.clone());
            let is_short =
                query.size().rows <= SHORT_PAGE && query.offset() == 0 && item_path::is_bounded(&query, &Path::Scan);
            let bounded = move |conn: &mut _| list_bounded(conn, &scope, &query, &basis, &small_tables);
            let found = if is_short { self.read_short(bounded).await } else { self.read(bounded).await };
            if let Some(found) = found? {
                return Ok(found);
            }
            Work::set_lane(Lane::Heavy);
        }
        self.read(move |conn| list_any(conn, (scope.0, scope.1, &scope.2), &query, &basis)).await
    }

    async fn project_items(
        &self,
        project: ProjectId,
        table: &str,
        query: &ItemQuery,
    ) -> Result<ProjectItems, StoreError> {
        let (table, query) = (table.to_owned(), query.clone());
        if query.needs_no_search() {
            return self.read(move |conn| project_items::list(conn, project, &table, &query)).await;
        }
        let (counted, of_table) = (query.clone(), table.clone());
        if !self.read(move |conn| project_items::are_few(conn, (project, &of_table), &counted)).await? {
            Work::set_lane(Lane::Heavy);
        }
        self.read(move |conn| project_items::search(conn, (project, &table), &query)).await
    }

    async fn table_sizes(&self, project: ProjectId) -> Result<TableSizes, StoreError> {
        self.read(move |conn| project_items::table_sizes(conn, project)).await
    }

    async fn item_deletions(
        &self,
        project: ProjectId,
        user: Option<ProjectUserId>,
    ) -> Result<Vec<(ItemDeletion, u64)>, StoreError> {
        let own = item_deletions::table
            .filter(item_deletions::project_id.eq(Id(project.uuid())))
            .order(item_deletions::id.desc())
            .limit(i64::from(ItemDeletion::MAX_PER_PROJECT));
        let own = own.select((ItemDeletionRow::as_select(), item_deletions::item_count)).into_boxed::<Backend>();
        let own = match user {
            Some(user) => own.filter(item_deletions::user_id.eq(Id(user.uuid()))),
            None => own,
        };
        self.all_as(own, |(row, count): (ItemDeletionRow, i64)| Ok((row.try_into()?, count.load()?))).await
    }

    async fn item_deletion(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        id: ItemDeletionId,
    ) -> Result<Option<(ItemDeletion, Vec<DeletedItem>)>, StoreError> {
        let deletion = item_deletions::table
            .find((Id(project.uuid()), Id(id.uuid())))
            .filter(item_deletions::user_id.eq(Id(user.uuid())))
            .select((ItemDeletionRow::as_select(), item_deletions::items));
        self.first_as(deletion, item_deletion::with_items).await
    }

    async fn items_with_ids(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        ids: &[ItemId],
    ) -> Result<Vec<StoredItem>, StoreError> {
        let ids: Vec<String> = ids.iter().map(|id| id.as_str().to_owned()).collect();
        let found = items::table
            .filter(items::project_id.eq(Id(project.uuid())))
            .filter(items::user_id.eq(Id(user.uuid())))
            .filter(items::table_name.eq(table.to_owned()))
            .filter(items::id.eq_any(ids));
        self.all(found).await
    }

    async fn items_after(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        after: Option<ItemKey>,
        size: PageSize,
    ) -> Result<Vec<StoredItem>, StoreError> {
        self.read(move |conn| all_after(conn, project, user, after, size)).await
    }

    async fn item_paths(&self, project: ProjectId, keys: &[ItemKey], limit: u16) -> Result<Rows<ItemPath>, StoreError> {
        let keys = keys.to_vec();
        // There can be thousands of lookups.
        Work::set_lane(Lane::Heavy);
        self.read(move |conn| project_items::paths(conn, project, &keys, limit)).await
    }

    async fn item(&self, path: &ItemPath, basis: &AccessBasis) -> Result<Option<StoredItem>, StoreError> {
        self.read_item(path, basis).await
    }

    async fn mismatches(
        &self,
        project: ProjectId,
        queries: &[MismatchQuery],
        samples: usize,
    ) -> Result<Option<Vec<Mismatches>>, StoreError> {
        let queries = queries.to_vec();
        self.read(move |conn| mismatch::find(conn, project, &queries, samples)).await
    }
}

/// Lists items if few of them are scanned: a number that an index limits, or the items of a small table. Otherwise returns
/// `None`.
fn list_bounded(
    conn: &mut Conn,
    table: &(ProjectId, ProjectUserId, String),
    query: &ItemQuery,
    basis: &AccessBasis,
    small_tables: &SmallTables,
) -> Result<Option<Rows<StoredItem>>, JobError> {
    let scope = (table.0, table.1, table.2.as_str());
    if item_path::is_bounded(query, &Path::Scan) || small_tables.contains(table) {
        return read_rows(conn, scope, query, &Path::Scan, basis).map(Some);
    }
    let (found, is_small) = in_snapshot(conn, |conn| {
        let path = item_path_choice::choose(conn, scope, query)?;
        let is_bounded = item_path::is_bounded(query, &path);
        let is_small = !is_bounded && item_path_choice::is_small(conn, scope)?;
        let found = (is_bounded || is_small).then(|| read_rows(conn, scope, query, &path, basis)).transpose()?;
        Ok((found, is_small))
    })?;
    if is_small {
        small_tables.add(table.clone());
    }
    Ok(found)
}

/// Lists items, although this may require to scan all of the user's items in the table.
fn list_any(
    conn: &mut Conn,
    scope: (ProjectId, ProjectUserId, &str),
    query: &ItemQuery,
    basis: &AccessBasis,
) -> Result<Rows<StoredItem>, JobError> {
    if item_path::is_bounded(query, &Path::Scan) {
        return read_rows(conn, scope, query, &Path::Scan, basis);
    }
    in_snapshot(conn, |conn| {
        let path = item_path_choice::choose(conn, scope, query)?;
        read_rows(conn, scope, query, &path, basis)
    })
}

fn read_rows(
    conn: &mut Conn,
    scope: (ProjectId, ProjectUserId, &str),
    query: &ItemQuery,
    path: &Path,
    basis: &AccessBasis,
) -> Result<Rows<StoredItem>, JobError> {
    let after = |stored: &StoredItem| query.start_after(stored);
    // Only the first part checks the basis: a list does not end early because access changes while it is read.
    let mut unchecked = *basis;
    let parse = |content: ItemContent| content.in_table(scope);
    page::read(query.size(), query.start().clone(), parse, after, |start, part: &mut PageRows<ItemContent>| {
        let basis = std::mem::take(&mut unchecked);
        let mut read = |start: &Start, part: &mut PageRows<ItemContent>| {
            let list = item_list(scope, query, path, (start, part.limit()), &basis);
            // So few rows have at most 7 MiB. One by one, they cost PostgreSQL's library much more.
            if part.limit() <= i64::from(PageSize::MAX.first_rows) {
                return part.take(list.load_iter::<ItemContent, DefaultLoadingMode>(conn)?);
            }
            part.take(list.load_iter::<ItemContent, RowByRow>(conn)?)
        };
        read(start, part)?;
        match start_without_value(query, path, start).filter(|_| part.has_room()) {
            Some(start) => read(&start, part),
            None => Ok(()),
        }
    })
}

fn all_after(
    conn: &mut Conn,
    project: ProjectId,
    user: ProjectUserId,
    after: Option<ItemKey>,
    size: PageSize,
) -> Result<Vec<StoredItem>, JobError> {
    let key = |stored: &StoredItem| Some(ItemKey { table: stored.item.table.clone(), id: stored.item.id.clone() });
    let rows = page::read(size, after, ItemRow::try_into, key, |after, part: &mut PageRows<ItemRow>| {
        let mut query = items::table
            .filter(items::project_id.eq(Id(project.uuid())))
            .filter(items::user_id.eq(Id(user.uuid())))
            .select(ItemRow::as_select())
            .order((items::table_name.asc(), items::id.asc()))
            .limit(part.limit())
            .into_boxed();
        if let Some(key) = after {
            // A comparison of rows, so that the database starts there in the primary key.
            let after = sql::<Bool>("(items.table_name, items.id) > (").bind::<Text, _>(key.table.clone());
            query = query.filter(after.sql(", ").bind::<Text, _>(key.id.as_str().to_owned()).sql(")"));
        }
        part.take(query.load_iter::<ItemRow, RowByRow>(conn)?)
    })?;
    Ok(rows.items)
}

/// Reads one item.
pub(crate) fn get(conn: &mut Conn, path: &ItemPath, basis: &AccessBasis) -> Result<Option<StoredItem>, JobError> {
    let content: Option<ItemContent> = read(path, basis).get_result(conn).optional()?;
    content.map(|content| content.in_table((path.project_id, path.user_id, &path.table))).transpose()
}

/// Builds the statement that reads one item.
pub(crate) fn read(path: &ItemPath, basis: &AccessBasis) -> Statement<ItemContentColumns> {
    let mut read = unproven(path);
    push_not_being_deleted(&mut read, path.project_id, path.user_id);
    access_epoch::push_basis_condition(&mut read, basis);
    read
}

/// The beginning of a statement that reads one item, before the name of the table.
pub(crate) const SELECT_FROM: &str = "SELECT id, value, created_at, updated_at, revision FROM ";

/// Builds the statement that reads one item without proof that the caller may.
pub(crate) fn unproven(path: &ItemPath) -> Statement<ItemContentColumns> {
    let mut read = Statement::new();
    read.sql(SELECT_FROM);
    read.sql("items WHERE ");
    push_key(&mut read, path);
    read
}

/// Adds the condition that a row is the item at a path.
pub(crate) fn push_key<T>(read: &mut Statement<T>, path: &ItemPath) {
    read.sql("project_id = ");
    read.rest_of_table(path.project_id, path.user_id, &path.table);
    read.push(" AND id = $1", &[Fragment::text(path.id.as_str())]);
}
