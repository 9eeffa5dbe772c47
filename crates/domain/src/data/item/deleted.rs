//! Deletions of items that can be undone for a few minutes.

use chrono::TimeDelta;

use crate::data::{Item, ItemId, ItemValue};
use crate::kernel::{AccountId, ItemDeletionId, ProjectId, ProjectUserId, Time};

/// A deletion of items of one table that can still be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemDeletion {
    /// The project of the user.
    pub project_id: ProjectId,
    /// Unique ID of the deletion. Later deletions have greater IDs.
    pub id: ItemDeletionId,
    /// The user who owned the items.
    pub user_id: ProjectUserId,
    /// The table of the items.
    pub table: String,
    /// The account that deleted the items. Only this account can undo it.
    pub deleted_by: AccountId,
    /// Until when it can be undone.
    pub expires_at: Time,
}

/// An item as it was when it was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedItem {
    /// The ID of the item.
    pub id: ItemId,
    /// When it was first stored.
    pub created_at: Time,
    /// Its fields.
    pub value: ItemValue,
}

impl ItemDeletion {
    /// How long a deletion can be undone.
    pub const TTL: TimeDelta = TimeDelta::minutes(10);
    /// The maximum number of deletions of a project that can be undone at a time. Older ones end earlier.
    pub const MAX_PER_PROJECT: u16 = 100;
    /// The maximum size of the items of these deletions, in bytes of JSON. That is more than one deletion can have.
    pub const MAX_BYTES_PER_PROJECT: u64 = 32 * 1024 * 1024;

    /// Whether the account can undo the deletion.
    pub fn can_be_undone(&self, account: AccountId, now: Time) -> bool {
        self.deleted_by == account && now < self.expires_at
    }

    /// Returns the item as it is stored again.
    pub fn restored(&self, item: DeletedItem) -> Item {
        let DeletedItem { id, value, .. } = item;
        Item { project_id: self.project_id, user_id: self.user_id, table: self.table.clone(), id, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{id_of, instant};

    #[test]
    fn only_who_deleted_items_can_undo_it_and_only_for_ten_minutes() {
        let (ann, bob) = (id_of("ann").into(), id_of("bob").into());
        let deletion = ItemDeletion {
            project_id: id_of("project").into(),
            id: id_of("deletion").into(),
            user_id: id_of("user").into(),
            table: "notes".into(),
            deleted_by: ann,
            expires_at: instant() + ItemDeletion::TTL,
        };
        assert!(deletion.can_be_undone(ann, instant() + TimeDelta::seconds(599)));
        assert!(!deletion.can_be_undone(ann, instant() + TimeDelta::seconds(600)));
        assert!(!deletion.can_be_undone(bob, instant()));
    }
}
