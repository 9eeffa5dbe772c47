//! Reading items.

use async_trait::async_trait;

use crate::data::item_query::ProjectItems;
use crate::data::schema::{MismatchQuery, Mismatches};
use crate::data::{DeletedItem, ItemDeletion, ItemId, ItemKey, ItemPath, ItemQuery, StoredItem, TableSizes};
use crate::kernel::{AccessBasis, ItemDeletionId, PageSize, ProjectId, ProjectUserId, Rows, StoreError};

/// Reads the items of a project's users.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ItemReader: Send + Sync {
    /// Returns the user's items in a table that match the query, in its order and from its start. MUST stop within
    /// [`ItemQuery::size`] but return at least one item if there is any, MUST report whether there are more, MUST NOT
    /// hold much more than that size in memory, and MUST return the same result with every store. MUST return nothing
    /// if `basis` does not match the store.
    async fn items(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        query: &ItemQuery,
        basis: &AccessBasis,
    ) -> Result<Rows<StoredItem>, StoreError>;

    /// Like [`items`](Self::items), for all users of the project: without those that are being deleted. A query without
    /// conditions in the order of the primary key MUST read few more items than it returns, however many other items,
    /// tables and users the project has; it may stop before the end of the page. Any other query MUST examine at most
    /// [`ItemQuery::MAX_EXAMINED`] items of the project: those after its start, or the first ones if it has another order.
    async fn project_items(
        &self,
        project: ProjectId,
        table: &str,
        query: &ItemQuery,
    ) -> Result<ProjectItems, StoreError>;

    /// Returns the tables of the first [`TableSizes::MAX_COUNTED`] items of the project, by name. MUST NOT read more items.
    async fn table_sizes(&self, project: ProjectId) -> Result<TableSizes, StoreError>;

    /// Returns the user's items in a table that have one of these IDs, in any order.
    async fn items_with_ids(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        ids: &[ItemId],
    ) -> Result<Vec<StoredItem>, StoreError>;

    /// Returns the user's items in all tables after the given key, ordered bytewise by table and ID. MUST stop within
    /// `size` but return at least one item if there is any.
    async fn items_after(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        after: Option<ItemKey>,
        size: PageSize,
    ) -> Result<Vec<StoredItem>, StoreError>;

    /// Returns which of the project's newest users have items with these keys, without users who are being deleted, and
    /// whether there are more users. Returns at most `limit` items of as many users. MUST only look up each key of each
    /// user, whatever else is stored.
    async fn item_paths(&self, project: ProjectId, keys: &[ItemKey], limit: u16) -> Result<Rows<ItemPath>, StoreError>;

    /// Returns one item. MUST return `None` if any part of the path belongs to another owner, or if `basis` does not
    /// match the store.
    async fn item(&self, path: &ItemPath, basis: &AccessBasis) -> Result<Option<StoredItem>, StoreError>;

    /// Returns the deletions of the user's items, or of those of all users, that are kept, newest first, with the number of
    /// their items. They may have expired.
    async fn item_deletions(
        &self,
        project: ProjectId,
        user: Option<ProjectUserId>,
    ) -> Result<Vec<(ItemDeletion, u64)>, StoreError>;

    /// Returns a deletion of the user's items, and the items as they were. It may have expired.
    async fn item_deletion(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        id: ItemDeletionId,
    ) -> Result<Option<(ItemDeletion, Vec<DeletedItem>)>, StoreError>;

    /// Returns the items of all users of the project that match each query, with at most `samples` samples each, in the
    /// order of the queries. MUST NOT read items of other projects. MUST return `None` instead of running longer than a
    /// request may take.
    async fn mismatches(
        &self,
        project: ProjectId,
        queries: &[MismatchQuery],
        samples: usize,
    ) -> Result<Option<Vec<Mismatches>>, StoreError>;
}

/// Result of an indexing step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexStep {
    /// The project that was processed, if any.
    pub project: Option<ProjectId>,
    /// Whether there is more to do for any project.
    pub more: bool,
}

/// Maintains the indexes of the fields that schemas declare as indexed.
///
/// MUST NOT change the result of any query: an index is used once it covers all items, and until then queries scan the
/// items. Publishing a schema MUST only record what has to be indexed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ItemIndexer: Send + Sync {
    /// Returns whether there is an index to build or to remove.
    async fn has_work(&self) -> Result<bool, StoreError>;

    /// Performs a bounded step of the work that newly published schemas require: indexes one field in at most `limit`
    /// items, or removes at most `limit` index entries that no schema needs. It processes the first project after
    /// `after`, ordered by ID, that has work to do. Some work has to wait for concurrent transactions, so callers must
    /// try again later.
    async fn index_items(&self, after: Option<ProjectId>, limit: u16) -> Result<IndexStep, StoreError>;
}
