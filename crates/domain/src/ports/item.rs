//! Reading items.

use async_trait::async_trait;

use crate::changes::ItemPlace;
use crate::model::{ItemId, ItemQuery, ProjectId, ProjectUserId, StoredItem};

use super::StoreError;

/// Reads the items of a project's users.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ItemReader: Send + Sync {
    /// The user's items in a table that fulfil the query's conditions, in its order, from its start on. MUST be at most
    /// [`ItemQuery::rows`], and the same whichever store keeps them.
    async fn items(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        query: &ItemQuery,
    ) -> Result<Vec<StoredItem>, StoreError>;

    /// Those of the user's items in a table that have one of these ids, in any order.
    async fn items_with_ids(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        ids: &[ItemId],
    ) -> Result<Vec<StoredItem>, StoreError>;

    /// One item. MUST be `None` when any part of the place is another's.
    async fn item(&self, place: &ItemPlace) -> Result<Option<StoredItem>, StoreError>;
}
