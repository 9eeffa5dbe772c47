//! Reading items.

use async_trait::async_trait;

use crate::changes::ItemPlace;
use crate::model::schema::{MismatchQuery, Mismatches};
use crate::model::{AccessBasis, ItemId, ItemKey, ItemQuery, PageSize, ProjectId, ProjectUserId, Rows, StoredItem};

use super::StoreError;

/// Reads the items of a project's users.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ItemReader: Send + Sync {
    /// The user's items in a table that fulfil the query's conditions, in its order, from its start on. MUST end
    /// within [`ItemQuery::size`] and hold one item if there is any, say whether there is more, never hold much more in memory
    /// than that size, and be the same whichever store keeps them. MUST be empty when the store does not have the `basis`.
    async fn items(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        query: &ItemQuery,
        basis: &AccessBasis,
    ) -> Result<Rows<StoredItem>, StoreError>;

    /// Those of the user's items in a table that have one of these ids, in any order.
    async fn items_with_ids(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        ids: &[ItemId],
    ) -> Result<Vec<StoredItem>, StoreError>;

    /// Some of the user's items in all tables, by table and then by id, byte by byte; only what comes after the given one. MUST
    /// end within the size and hold one item if there is any.
    async fn items_after(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        after: Option<ItemKey>,
        size: PageSize,
    ) -> Result<Vec<StoredItem>, StoreError>;

    /// One item. MUST be `None` when any part of the place is another's, and when the store does not have the `basis`.
    async fn item(&self, place: &ItemPlace, basis: &AccessBasis) -> Result<Option<StoredItem>, StoreError>;

    /// The items of all users of the project that each query asks for, with this many samples at most; in the order of the
    /// queries. MUST NOT look at another project's items, and MUST give up (`None`) rather than look at items for longer
    /// than a request may take.
    async fn mismatches(
        &self,
        project: ProjectId,
        queries: &[MismatchQuery],
        samples: usize,
    ) -> Result<Option<Vec<Mismatches>>, StoreError>;
}

/// What a step of indexing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexStep {
    /// The project that it worked for.
    pub project: Option<ProjectId>,
    /// Whether more is left to do, for whichever project.
    pub more: bool,
}

/// Keeps the fields that schemas call indexed ready for finding and ordering items.
///
/// MUST not change what any query finds: a field is used once all items are keyed by it, and until then items are looked
/// through. Publishing a schema MUST only note what is to be done.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ItemIndexer: Send + Sync {
    /// Whether some field is to be indexed, or not any more.
    async fn has_work(&self) -> Result<bool, StoreError>;

    /// Does a bounded step of what newly published schemas need: keys by one field what it wants among at most `most` items,
    /// or drops as many keys that no schema wants any more. It works for the first project with something to do after the
    /// given one, in the order of their ids; what others are about to end may have to be waited for, so ask again after a
    /// while.
    async fn index_items(&self, after: Option<ProjectId>, most: u16) -> Result<IndexStep, StoreError>;
}
