//! Deletions of items that can be undone for a few minutes, for people who delete items in the console.

use crate::data::{Accessor, ItemDeletion, ItemId, ItemPath, Items, RawItemQuery, StoredItem};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::Operation;
use crate::kernel::{
    Caller, CommitError, ItemDeletionId, PageSize, Precondition, ProjectId, ProjectUserId, RetryError, account_of,
    retry_stale,
};

use super::batch::{Batch, BatchOperation, BatchStep, MAX_OPERATIONS};

/// Result of undoing a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// Number of items that exist again.
    pub restored: usize,
    /// Items that were not restored, because items with their IDs were created after the deletion.
    pub existing: Vec<ItemId>,
}

impl Items {
    /// Deletes an item. The caller can undo it.
    pub async fn delete_undoably(
        &self,
        caller: &Caller,
        path: ItemPath,
        when: Precondition,
    ) -> Result<StoredItem, Error> {
        let deletion = self.deletion(caller, path.project_id, path.user_id, &path.table)?;
        self.delete_and_keep(caller, Accessor::Project, path, when, Some(deletion)).await
    }

    /// Deletes all of the items, or none. The caller can undo it.
    pub async fn delete_all_undoably(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        user_id: ProjectUserId,
        table: String,
        ids: Vec<ItemId>,
    ) -> Result<Vec<StoredItem>, Error> {
        let deletion = Some(self.deletion(caller, project_id, user_id, &table)?);
        let operations = ids.into_iter().map(|id| BatchOperation::unconditional(id, BatchStep::Delete)).collect();
        let limit = MAX_OPERATIONS;
        let batch = Batch { project_id, user_id, table, operations, limit, deletion, created_before: None };
        self.apply(caller, Accessor::Project, batch).await
    }

    fn deletion(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        user_id: ProjectUserId,
        table: &str,
    ) -> Result<ItemDeletion, Error> {
        let (id, deleted_by) = (ItemDeletionId::from(self.core.next_id()), account_of(caller)?);
        let expires_at = self.core.now() + ItemDeletion::TTL;
        Ok(ItemDeletion { project_id, id, user_id, table: table.to_owned(), deleted_by, expires_at })
    }

    /// Returns the items with these IDs that exist, for a person who is going to delete them. Large items at the end may be
    /// missing.
    pub async fn named(
        &self,
        caller: &Caller,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        ids: &[ItemId],
        size: PageSize,
    ) -> Result<Vec<StoredItem>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let limit = ("limit".to_owned(), ids.len().to_string());
        let ids: Vec<&str> = ids.iter().map(ItemId::as_str).collect();
        let condition = ("id".to_owned(), format!("in.({})", ids.join(",")));
        let sent = RawItemQuery { parameters: vec![condition, limit], cursor: None, size };
        match self.list(caller, Accessor::Project, project, user, table, &sent).await {
            Ok(page) => Ok(page.items),
            // The person may delete items, but not read them.
            Err(Error::Forbidden(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Returns the deletions in a table of a user, or of all users, that the caller can undo, newest first, with the number
    /// of their items.
    pub async fn undoable_deletions(
        &self,
        caller: &Caller,
        project: ProjectId,
        user: Option<ProjectUserId>,
        table: &str,
    ) -> Result<Vec<(ItemDeletion, u64)>, Error> {
        let (account, now) = (account_of(caller)?, self.core.now());
        self.core.access.project(caller, project).await?.permit(Operation::ItemBatch).await?;

        let found = self.core.ports.items.item_deletions(project, user).await?;
        let own = found.into_iter().filter(|(one, _)| one.table == table && one.can_be_undone(account, now));
        Ok(own.collect())
    }

    /// Restores the items of a deletion with their IDs, values and creation times. An item whose ID is in use by now stays
    /// deleted. The values are not checked against the schema, as if they had never been deleted. Returns `None` if the
    /// deletion can no longer be undone.
    pub async fn undo_deletion(
        &self,
        caller: &Caller,
        project: ProjectId,
        user: ProjectUserId,
        id: ItemDeletionId,
    ) -> Result<Option<Undone>, Error> {
        let account = account_of(caller)?;
        retry_stale(async || {
            let access = self.core.access.project_with_basis(caller, project).await?;
            let permit = access.permit_data(Operation::ItemBatch, user).await?;

            let now = self.core.now();
            let found = self.core.ports.items.item_deletion(project, user, id).await?;
            let Some((deletion, items)) = found.filter(|(one, _)| one.can_be_undone(account, now)) else {
                return Ok(None);
            };
            let ids: Vec<ItemId> = items.iter().map(|item| item.id.clone()).collect();
            let existing = self.core.ports.items.items_with_ids(project, user, &deletion.table, &ids).await?;
            let existing: Vec<ItemId> = existing.into_iter().map(|stored| stored.item.id).collect();
            let mut missing: Vec<_> = items.into_iter().filter(|item| !existing.contains(&item.id)).collect();
            // In the order of their IDs, as in a batch.
            missing.sort_by(|a, b| a.id.as_str().cmp(b.id.as_str()));
            let restored = missing.len();

            let basis = *permit.basis();
            let empty = Changes::by(permit, now).end_deletion(project, id);
            let changes = missing.into_iter().fold(empty, |changes, item| {
                let created_at = item.created_at;
                changes.restore(deletion.restored(item), created_at)
            });
            match self.core.commit(changes).await {
                Ok(_) => Ok(Some(Undone { restored, existing })),
                Err(CommitError::Stale(ResourceKind::Item) | CommitError::Orphaned) => {
                    self.core.access.confirm(caller, &basis).await?;
                    self.user_is_connected(project, user).await?;
                    Err(RetryError::Stale(ResourceKind::Item))
                }
                Err(other) => Err(Error::from(other).into()),
            }
        })
        .await
    }
}
