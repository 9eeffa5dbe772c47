//! Reads what a device lacks: everything after the position that it has, and then each further change.

use std::collections::{BTreeMap, HashMap};

use crate::data::{
    ChangedUsers, Item, ItemId, ItemKey, ItemValue, SettledChanges, StoredItem, SyncKey, SyncSpan, SyncedItem,
};
use crate::kernel::error::Error;
use crate::kernel::policy::Operation;
use crate::kernel::{AccessBasis, PageSize, ProjectId, ProjectUserId, Time};

use super::{ItemSync, SyncSession};

/// Size of one step of a load.
const PAGE: PageSize = PageSize { rows: 1_000, bytes: 768 * 1024, ..PageSize::CHUNK };
/// Maximum number of items that are read at once by their IDs.
pub(super) const MAX_READ: usize = 32;

/// The rest of what a device lacks: first the items that were changed, then those that were deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncLoad {
    /// Changes in this span are loaded.
    pub span: SyncSpan,
    /// Whether the device may have items that were deleted.
    has_items: bool,
    next: Next,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Next {
    Changed(Option<ItemKey>),
    Deleted(Option<(i64, ItemKey)>),
}

impl ItemSync {
    /// Starts to load what a device lacks that has all changes up to a position; `None` if it has none. A device gets
    /// everything if the store was restored and may lack a change that the device has.
    pub async fn load(&self, synced: Option<i64>) -> Result<SyncLoad, Error> {
        let span = self.core.ports.sync.span_after(synced).await?;
        Ok(SyncLoad { span, has_items: synced.is_some(), next: Next::Changed(None) })
    }

    /// Returns the next items of a load, and its rest. Items that were changed after the span are not included.
    pub async fn load_next(
        &self,
        session: &SyncSession,
        load: SyncLoad,
    ) -> Result<(Vec<SyncedItem>, Option<SyncLoad>), Error> {
        let access = self.core.access.project_with_basis(&session.caller, session.project_id).await?;
        let permit = access.permit_data(Operation::OwnItemList, session.user_id).await?;

        let (items, next) = match load.next {
            Next::Changed(after) => {
                let (items, last) = self.load_changed(session, load.span, after, permit.basis()).await?;
                let deleted = load.has_items.then_some(Next::Deleted(None));
                (items, last.map(|last| Next::Changed(Some(last))).or(deleted))
            }
            Next::Deleted(after) => {
                let (items, last) = self.load_deleted(session, load.span, after, permit.basis()).await?;
                (items, last.map(|last| Next::Deleted(Some(last))))
            }
        };
        if items.is_empty() {
            self.core.access.confirm(&session.caller, permit.basis()).await?;
        }
        Ok((items, next.map(|next| SyncLoad { span: load.span, has_items: load.has_items, next })))
    }

    async fn load_deleted(
        &self,
        session: &SyncSession,
        span: SyncSpan,
        after: Option<(i64, ItemKey)>,
        basis: &AccessBasis,
    ) -> Result<(Vec<SyncedItem>, Option<(i64, ItemKey)>), Error> {
        let deleted = self.core.ports.sync.items_deleted(session.owner(), span, after, PAGE.rows, basis).await?;
        let is_last = deleted.len() < usize::from(PAGE.rows);
        let items = deleted.iter().map(|(_, key)| SyncedItem { key: key.into(), value: None });
        Ok((items.collect(), deleted.last().cloned().filter(|_| !is_last)))
    }

    async fn load_changed(
        &self,
        session: &SyncSession,
        span: SyncSpan,
        after: Option<ItemKey>,
        basis: &AccessBasis,
    ) -> Result<(Vec<SyncedItem>, Option<ItemKey>), Error> {
        let changed = self.core.ports.sync.items_changed(session.owner(), span, after, PAGE, basis).await?;
        let items = changed.items.into_iter().map(|stored| SyncedItem {
            key: SyncKey { table: stored.item.table, id: stored.item.id.as_str().to_owned() },
            value: Some(stored.item.value),
        });
        Ok((items.collect(), changed.next))
    }

    /// Returns the current state of items of a user, which may not exist, in any order. The caller MUST have access to
    /// them: see [`ItemSync::are_current`].
    pub async fn current<'a>(
        &self,
        (project, user): (ProjectId, ProjectUserId),
        keys: impl IntoIterator<Item = &'a SyncKey>,
    ) -> Result<Vec<SyncedItem>, Error> {
        let keys: Vec<&SyncKey> = keys.into_iter().collect();
        let found = self.stored((project, user), keys.iter().copied()).await?.into_iter();
        let found = found.map(|StoredItem { item: Item { table, id, value, .. }, .. }| {
            let id = id.as_str().to_owned();
            (SyncKey { table, id }, value)
        });
        let mut values: HashMap<SyncKey, ItemValue> = found.collect();
        Ok(keys.into_iter().map(|key| SyncedItem { value: values.remove(key), key: key.clone() }).collect())
    }

    /// Returns the stored items of these keys, a bounded number of which is read at once.
    pub(super) async fn stored<'a>(
        &self,
        (project, user): (ProjectId, ProjectUserId),
        keys: impl IntoIterator<Item = &'a SyncKey>,
    ) -> Result<Vec<StoredItem>, Error> {
        let mut by_table: BTreeMap<&str, Vec<ItemId>> = BTreeMap::new();
        for key in keys {
            // No item is stored under a name that cannot be stored.
            if let (false, Ok(id)) = (key.table.contains('\0'), ItemId::stored(&key.id)) {
                by_table.entry(&key.table).or_default().push(id);
            }
        }
        let mut items = Vec::new();
        for (table, ids) in by_table {
            for ids in ids.chunks(MAX_READ) {
                items.extend(self.core.ports.items.items_with_ids(project, user, table, ids).await?);
            }
        }
        Ok(items)
    }

    /// Returns the position up to which all changes are settled.
    pub async fn settled_position(&self) -> Result<i64, Error> {
        Ok(self.core.ports.sync.settled_position().await?)
    }

    /// Records that devices received the changes up to a position.
    pub async fn record_delivered(&self, position: i64) -> Result<(), Error> {
        Ok(self.core.ports.sync.record_delivered(position).await?)
    }

    /// Waits until items change, and returns their users (see
    /// [`changed_users`](crate::data::SyncStore::changed_users)).
    pub async fn changed_users(&self) -> ChangedUsers {
        self.core.ports.sync.changed_users().await
    }

    /// Returns whether the changes of all processes are reported at once.
    pub fn reports_all_processes(&self) -> bool {
        self.core.ports.sync.reports_all_processes()
    }

    /// Returns at most `limit` settled changes of all users after a position, which was settled at `since`.
    pub async fn settled_changes(&self, after: i64, since: Time, limit: u16) -> Result<SettledChanges, Error> {
        Ok(self.core.ports.sync.settled_changes(after, since, limit).await?)
    }

    /// Returns for the basis of each session whether it is still current. If not, the session must be renewed.
    pub async fn are_current(&self, bases: &[AccessBasis]) -> Result<Vec<bool>, Error> {
        Ok(self.core.ports.sync.are_current(bases).await?)
    }
}
