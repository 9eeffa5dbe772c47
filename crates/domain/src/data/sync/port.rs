//! Synchronization of items with devices: settled changes, deleted items, receipts of messages, and rejected changes.

use async_trait::async_trait;

use crate::data::{ChangedUsers, ItemKey, SettledChanges, StoredItem, SyncRejection, SyncSpan};
use crate::kernel::{AccessBasis, Page, PageRequest, PageSize, ProjectId, ProjectUserId, StoreError, Time};

/// A part of the items that changed in a span.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedItems {
    /// The changed items, ordered bytewise by table and ID.
    pub items: Vec<StoredItem>,
    /// The key after which the next part starts; `None` if this is the last one.
    pub next: Option<ItemKey>,
}

/// Reads what changed since a position, and stores rejected changes. Rejections do not go through `UnitOfWork`, because
/// a rejected change writes nothing else.
///
/// A change is settled once every change that could still be ordered before it has been committed or has failed. The
/// settled position never decreases, and no change is ever stored at or below it later. No position is given twice, also after
/// the store was restored to an earlier state.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SyncStore: Send + Sync {
    /// Returns the position up to which all changes are settled.
    async fn settled_position(&self) -> Result<i64, StoreError>;

    /// Returns the span of changes that a device lacks that has all changes up to `synced`. The span MUST begin at 0 if the
    /// store was restored to an earlier state, and may lack a change that the device has.
    async fn span_after(&self, synced: Option<i64>) -> Result<SyncSpan, StoreError>;

    /// Records that devices received the changes up to a settled position. After a restore, a device that received later ones
    /// gets everything.
    async fn record_delivered(&self, position: i64) -> Result<(), StoreError>;

    /// Waits until a change of an item is committed. Returns the users whose items changed since the last call. May miss
    /// changes of other processes, and name users without changes. At most one caller waits at a time, and cancelling the
    /// call MUST lose nothing.
    async fn changed_users(&self) -> ChangedUsers;

    /// Returns whether [`SyncStore::changed_users`] now reports the changes of all processes.
    fn reports_all_processes(&self) -> bool;

    /// Returns at most `limit` settled changes of the items of all users after a position, in order. Changes that are
    /// much older than `since` may be omitted. The cost MUST NOT depend on the number of users.
    async fn settled_changes(&self, after: i64, since: Time, limit: u16) -> Result<SettledChanges, StoreError>;

    /// Returns a part of the user's items whose last change is in the span and whose key is after `after`, ordered bytewise
    /// by table and ID. MUST stop within `size`. Of a device that has a part of the items already, MUST read a number of items
    /// that depends only on `size`, so a part can be empty although others follow. MUST return no items if `basis` does
    /// not match the store.
    async fn items_changed(
        &self,
        owner: (ProjectId, ProjectUserId),
        span: SyncSpan,
        after: Option<ItemKey>,
        size: PageSize,
        basis: &AccessBasis,
    ) -> Result<ChangedItems, StoreError>;

    /// Returns at most `limit` of the user's items that were deleted in the span and do not exist, each with the
    /// position of its deletion, in order of position and key, after `after`. MUST include erased items. MUST return
    /// nothing if `basis` does not match the store.
    async fn items_deleted(
        &self,
        owner: (ProjectId, ProjectUserId),
        span: SyncSpan,
        after: Option<(i64, ItemKey)>,
        limit: u16,
        basis: &AccessBasis,
    ) -> Result<Vec<(i64, ItemKey)>, StoreError>;

    /// Returns for each basis whether the store still has it, like `AccessReader::is_current`.
    async fn are_current(&self, bases: &[AccessBasis]) -> Result<Vec<bool>, StoreError>;

    /// Returns the digest of the last receipt in a slot of the user. `UnitOfWork` stores receipts.
    async fn receipt(&self, owner: (ProjectId, ProjectUserId), slot: i64) -> Result<Option<String>, StoreError>;

    /// Stores rejections of one project. MUST keep only the `max_kept` newest rejections of the project.
    async fn record_rejections(&self, rejections: &[SyncRejection], max_kept: u16) -> Result<(), StoreError>;

    /// Returns the rejections of a project, newest first.
    async fn rejections(&self, project: ProjectId, page: &PageRequest) -> Result<Page<SyncRejection>, StoreError>;
}
