//! Queries for the synchronization of items with devices.
//!
//! The changes of all users are read in order by the position index of `item_changes`, so that finding out who has news
//! costs as much as there are changes, however many users wait. What a device lacks that comes back is read from the
//! items of its user, each of which has the position of its last change, and from the tombstones. So writes need no
//! index of changes per user.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use const_format::concatcp;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use steward_domain::data::{
    ChangedItems, ChangedUsers, ItemChange, ItemKey, SettledChanges, StoredItem, SyncKey, SyncReceipt, SyncRejection,
    SyncSpan, SyncStore,
};
use steward_domain::kernel::{AccessBasis, Page, PageRequest, PageSize, ProjectId, ProjectUserId, StoreError, Time};
use uuid::Uuid;

use super::administration::audit_event::TOLERANCE;
use super::dialect::{LAST_SETTLED_POSITION, LAST_STARTED_POSITION, OWN_LAST_POSITION, RowByRow, own_first_position};
use super::kernel::page::{self, PageRows};
use super::kernel::statement::{Fragment, Statement};
use super::kernel::{access_epoch, position_domain};
use super::{Conn, Database};
use crate::error::JobError;
use crate::position_marker::PositionMarker;
use crate::sql_types::{At, Id, Instant, Uid};
use crate::tables::{
    ColumnValue as _, ItemColumns, ItemRow, SyncRejectionRow, accounts, projects, server_keys, sync_rejections,
};

/// SQL types of the columns of a change.
type ChangeColumns = (Uid, Uid, Text, Text, BigInt, Instant);

/// Maximum number of IDs in one statement.
const MAX_IDS: usize = 5_000;
/// Number of items that are read at most for each one that a part may have.
const SLICE_FACTOR: i64 = 5;

#[async_trait]
impl SyncStore for Database {
    async fn settled_position(&self) -> Result<i64, StoreError> {
        self.read(settled_position).await
    }

    async fn span_after(&self, synced: Option<i64>) -> Result<SyncSpan, StoreError> {
        self.read_in_domain(move |conn| position_domain::span_after(conn, synced)).await
    }

    async fn record_delivered(&self, position: i64) -> Result<(), StoreError> {
        // The marker never precedes the database: otherwise the database would seem to have been restored.
        if self.write(move |conn| position_domain::record_delivered(conn, position)).await? {
            self.marker.raise(position);
        }
        Ok(())
    }

    async fn changed_users(&self) -> ChangedUsers {
        self.announcements.next().await
    }

    fn reports_all_processes(&self) -> bool {
        self.announcements.is_listening()
    }

    async fn settled_changes(&self, after: i64, since: Time, limit: u16) -> Result<SettledChanges, StoreError> {
        let marker = self.marker.clone();
        if let Some(found) = self.read(move |conn| settled_changes(conn, &marker, (after, since), limit)).await? {
            return Ok(found);
        }
        // The domain must be opened here: a later call would continue in it, and not see what came before.
        let marker = self.marker.clone();
        let found = self.read_in_domain(move |conn| settled_changes(conn, &marker, (after, since), limit)).await?;
        // The server was started again in the meantime.
        Ok(found.unwrap_or(SettledChanges { through: after, ..SettledChanges::default() }))
    }

    async fn items_changed(
        &self,
        owner: (ProjectId, ProjectUserId),
        span: SyncSpan,
        after: Option<ItemKey>,
        size: PageSize,
        basis: &AccessBasis,
    ) -> Result<ChangedItems, StoreError> {
        let basis = *basis;
        self.read(move |conn| items_changed(conn, owner, span, after, size, &basis)).await
    }

    async fn items_deleted(
        &self,
        owner: (ProjectId, ProjectUserId),
        span: SyncSpan,
        after: Option<(i64, ItemKey)>,
        limit: u16,
        basis: &AccessBasis,
    ) -> Result<Vec<(i64, ItemKey)>, StoreError> {
        let key = |(position, table, id): (i64, String, String)| Ok((position, ItemKey { table, id: id.load()? }));
        self.all_as(deleted(owner, span, after, limit, basis), key).await
    }

    async fn are_current(&self, bases: &[AccessBasis]) -> Result<Vec<bool>, StoreError> {
        let bases = bases.to_vec();
        self.read(move |conn| are_current(conn, &bases)).await
    }

    async fn receipt(&self, owner: (ProjectId, ProjectUserId), slot: i64) -> Result<Option<String>, StoreError> {
        self.read(move |conn| Ok(stored_receipt(owner, slot).get_result(conn).optional()?)).await
    }

    async fn record_rejections(&self, rejections: &[SyncRejection], max_kept: u16) -> Result<(), StoreError> {
        const DELETE_OLD: &str = "DELETE FROM sync_rejections WHERE project_id = $1 AND id IN \
             (SELECT id FROM sync_rejections WHERE project_id = $1 ORDER BY at DESC, id DESC LIMIT 1000 OFFSET $2)";
        let Some(project) = rejections.first().map(|rejection| rejection.project_id) else { return Ok(()) };
        let rows: Vec<SyncRejectionRow> = rejections.iter().map(TryInto::try_into).collect::<Result<_, JobError>>()?;
        self.transact(move |conn| {
            diesel::insert_into(sync_rejections::table).values(rows).execute(conn)?;
            let kept = [Fragment::id(project), Fragment::Count(max_kept.into())];
            Statement::<()>::numbered(DELETE_OLD, &kept).execute(conn)?;
            Ok(())
        })
        .await
    }

    async fn rejections(&self, project: ProjectId, page: &PageRequest) -> Result<Page<SyncRejection>, StoreError> {
        let all = sync_rejections::table.filter(sync_rejections::project_id.eq(Id(project.uuid())));
        let all = page::listed!(newest first, all, page, page.rows(), sync_rejections::at, sync_rejections::id);
        self.page(all, page, |rejection: &SyncRejection| page::cursor(rejection.at, rejection.id)).await
    }
}

fn settled_position(conn: &mut Conn) -> Result<i64, JobError> {
    Ok(Statement::<BigInt>::numbered(concatcp!("SELECT ", LAST_SETTLED_POSITION), &[]).get_result(conn)?)
}

/// Returns `None` if this life of the server has no domain, so that it is not known whether the database was restored.
fn settled_changes(
    conn: &mut Conn,
    marker: &PositionMarker,
    (after, since): (i64, Time),
    limit: u16,
) -> Result<Option<SettledChanges>, JobError> {
    // Read first: the statement below sees every change up to here.
    const POSITIONS: &str = concatcp!("SELECT ", LAST_SETTLED_POSITION, ", ", LAST_STARTED_POSITION);
    let positions: Statement<(BigInt, BigInt)> = Statement::numbered(POSITIONS, &[]);
    let (settled, started): (i64, i64) = positions.get_result(conn)?;
    if settled <= after {
        return Ok(Some(SettledChanges { changes: Vec::new(), through: after, started, is_interrupted: false }));
    }
    let span = SyncSpan { after, through: settled };
    let rows: Vec<(Id, Id, String, String, i64, At)> = all_changes(span, since, limit).load(conn)?;
    let is_complete = rows.len() < usize::from(limit);
    let Some(is_interrupted) = position_domain::has_gap(conn, marker, span)? else { return Ok(None) };
    let change = |(project, user, table, id, position, at): (Id, Id, String, String, i64, At)| ItemChange {
        project_id: project.0.into(),
        user_id: user.0.into(),
        key: SyncKey { table, id },
        position,
        at: at.0,
    };
    let changes: Vec<ItemChange> = rows.into_iter().map(change).collect();
    let through = changes.last().filter(|_| !is_complete).map_or(settled, |last| last.position);
    Ok(Some(SettledChanges { changes, through, started, is_interrupted }))
}

/// Builds the statement that reads the changes of all users in order.
pub(crate) fn all_changes(span: SyncSpan, since: Time, limit: u16) -> Statement<ChangeColumns> {
    // Older partitions are not scanned.
    const CHANGES: &str =
        "SELECT project_id, user_id, table_name, item_id, position, at FROM item_changes WHERE at >= $1";
    let mut changes = Statement::numbered(CHANGES, &[Fragment::at(since - TOLERANCE)]);
    in_span(&mut changes, span);
    changes.push(" ORDER BY position LIMIT $1", &[Fragment::Count(limit.into())]);
    changes
}

/// Builds the statement that reads the receipt in a slot of a user.
pub(crate) fn stored_receipt((project, user): (ProjectId, ProjectUserId), slot: i64) -> Statement<Text> {
    const RECEIPT: &str = "SELECT digest FROM sync_receipts WHERE project_id = $1 AND user_id = $2 AND slot = $3";
    Statement::numbered(RECEIPT, &[Fragment::id(project), Fragment::id(user), Fragment::Count(slot)])
}

fn items_changed(
    conn: &mut Conn,
    owner: (ProjectId, ProjectUserId),
    span: SyncSpan,
    after: Option<ItemKey>,
    size: PageSize,
    basis: &AccessBasis,
) -> Result<ChangedItems, JobError> {
    let key = |stored: &StoredItem| Some(ItemKey { table: stored.item.table.clone(), id: stored.item.id.clone() });
    // Nearly all items are in a span from the start, so the size of the part limits how many are read.
    let end = match span.after {
        0 => None,
        _ => slice_end(conn, owner, after.as_ref(), i64::from(size.rows).saturating_mul(SLICE_FACTOR))?,
    };
    let found = page::read(size, after, ItemRow::try_into, key, |after, part: &mut PageRows<ItemRow>| {
        let changed = changed(owner, span, (after.as_ref(), end.as_ref()), part.limit(), basis);
        part.take(changed.load_iter::<ItemRow, RowByRow>(conn)?)
    })?;
    let next = if found.more { found.items.last().and_then(key) } else { end };
    Ok(ChangedItems { items: found.items, next })
}

/// Returns the key of the last of the next `count` items of a user. `None` if there are fewer.
fn slice_end(
    conn: &mut Conn,
    owner: (ProjectId, ProjectUserId),
    after: Option<&ItemKey>,
    count: i64,
) -> Result<Option<ItemKey>, JobError> {
    let mut end: Statement<(Text, Text)> = Statement::new();
    end.sql("SELECT table_name, id FROM items WHERE project_id = ");
    of_user_between(&mut end, owner, (after, None));
    end.push(" ORDER BY table_name, id LIMIT 1 OFFSET $1", &[Fragment::Count(count.saturating_sub(1))]);
    let end: Option<(String, String)> = end.get_result(conn).optional()?;
    end.map(|(table, id)| Ok(ItemKey { table, id: id.load()? })).transpose()
}

/// Appends the user and the range of keys: after the first one, up to the second one.
fn of_user_between<T>(
    statement: &mut Statement<T>,
    (project, user): (ProjectId, ProjectUserId),
    (after, through): (Option<&ItemKey>, Option<&ItemKey>),
) {
    statement.push("$1 AND user_id = $2", &[Fragment::id(project), Fragment::id(user)]);
    let bounds = [(after, " AND (table_name, id) > ($1, $2)"), (through, " AND (table_name, id) <= ($1, $2)")];
    for (key, bound) in bounds {
        if let Some(key) = key {
            statement.push(bound, &[key.table.as_str(), key.id.as_str()].map(Fragment::text));
        }
    }
}

/// Builds the statement that reads the changed items of a user in a range of keys. The primary key gives the order.
pub(crate) fn changed(
    owner: (ProjectId, ProjectUserId),
    span: SyncSpan,
    keys: (Option<&ItemKey>, Option<&ItemKey>),
    limit: i64,
    basis: &AccessBasis,
) -> Statement<ItemColumns> {
    let mut changed = Statement::new();
    changed.sql(
        "SELECT project_id, user_id, table_name, id, value, created_at, updated_at, revision FROM items \
         WHERE project_id = ",
    );
    of_user_between(&mut changed, owner, keys);
    in_span(&mut changed, span);
    access_epoch::push_basis_condition(&mut changed, basis);
    changed.push(" ORDER BY table_name, id LIMIT $1", &[Fragment::Count(limit)]);
    changed
}

/// Builds the statement that reads the deleted items of a user that do not exist again. Whether an item exists is asked
/// for each one: PostgreSQL joins the tables for `NOT EXISTS`, and may compare each deleted item with all items.
pub(crate) fn deleted(
    (project, user): (ProjectId, ProjectUserId),
    span: SyncSpan,
    after: Option<(i64, ItemKey)>,
    limit: u16,
    basis: &AccessBasis,
) -> Statement<(BigInt, Text, Text)> {
    const DELETED: &str = "SELECT position, table_name, id FROM item_tombstones WHERE project_id = $1 AND user_id = $2";
    let mut deleted = Statement::numbered(DELETED, &[Fragment::id(project), Fragment::id(user)]);
    in_span(&mut deleted, span);
    if let Some((position, key)) = after {
        let after = [Fragment::Count(position), Fragment::Text(key.table), Fragment::text(key.id.as_str())];
        deleted.push(" AND (position, table_name, id) > ($1, $2, $3)", &after);
    }
    deleted.sql(
        " AND (SELECT 1 FROM items WHERE items.project_id = item_tombstones.project_id \
         AND items.user_id = item_tombstones.user_id AND items.table_name = item_tombstones.table_name \
         AND items.id = item_tombstones.id) IS NULL",
    );
    access_epoch::push_basis_condition(&mut deleted, basis);
    deleted.push(" ORDER BY position, table_name, id LIMIT $1", &[Fragment::Count(limit.into())]);
    deleted
}

fn in_span<T>(statement: &mut Statement<T>, span: SyncSpan) {
    statement.push(" AND position > $1 AND position <= $2", &[span.after, span.through].map(Fragment::Count));
}

fn are_current(conn: &mut Conn, bases: &[AccessBasis]) -> Result<Vec<bool>, JobError> {
    let project_ids = bases.iter().filter_map(|basis| Some(basis.project?.0.uuid())).collect();
    let project_epochs = epochs(project_ids, |ids| {
        let projects = projects::table.filter(projects::id.eq_any(ids));
        projects.select((projects::id, projects::access_epoch)).load(conn)
    })?;
    let account_ids = bases.iter().filter_map(|basis| Some(basis.account?.0.uuid())).collect();
    let account_epochs = epochs(account_ids, |ids| {
        let accounts = accounts::table.filter(accounts::id.eq_any(ids));
        accounts.select((accounts::id, accounts::access_epoch)).load(conn)
    })?;
    let keys: Vec<Id> = server_keys::table.select(server_keys::id).load(conn)?;
    let keys: HashSet<Uuid> = keys.into_iter().map(|id| id.0).collect();
    let is_current = |basis: &AccessBasis| {
        basis.project.is_none_or(|(id, epoch)| project_epochs.get(&id.uuid()) == Some(&epoch.0))
            && basis.account.is_none_or(|(id, epoch)| account_epochs.get(&id.uuid()) == Some(&epoch.0))
            && basis.signed_by.is_none_or(|key| keys.contains(&key.uuid()))
    };
    Ok(bases.iter().map(is_current).collect())
}

/// Reads the epochs of these projects or accounts, a bounded number at once.
fn epochs(
    ids: HashSet<Uuid>,
    mut read: impl FnMut(Vec<Id>) -> QueryResult<Vec<(Id, i64)>>,
) -> Result<HashMap<Uuid, i64>, JobError> {
    let ids: Vec<Id> = ids.into_iter().map(Id).collect();
    let mut epochs = HashMap::new();
    for ids in ids.chunks(MAX_IDS) {
        epochs.extend(read(ids.to_vec())?.into_iter().map(|(id, epoch)| (id.0, epoch)));
    }
    Ok(epochs)
}

/// Replaces the receipt in a slot. Returns the first and last position of the change, whose writes of this number of
/// items come before.
pub(crate) fn record_receipt(conn: &mut Conn, receipt: &SyncReceipt, items: i64) -> Result<(i64, i64), JobError> {
    const RECORD: &str = "INSERT INTO sync_receipts (project_id, user_id, slot, digest) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (project_id, user_id, slot) DO UPDATE SET digest = excluded.digest";
    let values = [
        Fragment::id(receipt.project_id),
        Fragment::id(receipt.user_id),
        Fragment::Count(receipt.slot),
        Fragment::text(&receipt.digest),
    ];
    Statement::<()>::numbered(RECORD, &values).execute(conn)?;
    let last: Statement<BigInt> = Statement::numbered(concatcp!("SELECT ", OWN_LAST_POSITION), &[]);
    let last: i64 = last.get_result(conn)?;
    Ok((own_first_position(last, items), last))
}
