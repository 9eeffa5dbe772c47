//! The writes that a change consists of.

use crate::administration::{Member, Team};
use crate::data::{Item, ItemDeletion, ItemImport, ItemPath, LineProblem, SchemaDraft, SyncReceipt};
use crate::kernel::error::ResourceKind;
use crate::kernel::{
    AccountId, InviteId, ItemDeletionId, OwnerIds, Precondition, ProjectId, ProjectUserId, Time, TokenDigest,
};

use super::entity::Entity;

/// A single write of a change.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Inserts an entity. Fails if it exists.
    Insert(Entity),
    /// Replaces the entity with the same ID and revision, and increments the stored revision.
    Replace(Entity),
    /// Removes the entity with this ID and revision. A removed project is no longer visible and its slugs become
    /// available; [`crate::administration::DeletedProjects`] removes its data later.
    Remove(Entity),
    /// Increments the revision of the team if it has this revision. Concurrent changes that lock the same team
    /// conflict.
    Lock(Team),
    /// Writes nothing. The change is stored only if the member still has this revision, and concurrent changes of the
    /// member wait until it is stored.
    Hold(Member),
    /// Stores an item as a whole if the precondition holds and its user is connected.
    PutItem(Item, Precondition),
    /// Removes an item if the precondition holds and its user is connected.
    RemoveItem(ItemPath, Precondition),
    /// Removes at most this many items of a user, in any order. Devices of the user find them deleted.
    EraseItems(ProjectId, ProjectUserId, u16),
    /// Removes at most this many rows of a user who will be removed: the items first, then what else is stored with the
    /// user. Devices do not find the items deleted.
    RemoveUserData(ProjectId, ProjectUserId, u16),
    /// Replaces the receipt in a slot of a user.
    RecordReceipt(SyncReceipt),
    /// Stores the items that the change has removed before this write, so that the deletion can be undone.
    KeepDeletion(ItemDeletion),
    /// Removes a deletion that is undone. Fails if it does not exist.
    EndDeletion(ProjectId, ItemDeletionId),
    /// Stores an item with this time as that of its creation. Fails if it exists.
    RestoreItem(Item, Time),
    /// Stores an item as a whole if its user is connected. One that does not exist yet gets this time as that of its
    /// creation.
    ImportItem(Item, Time),
    /// Stores an import after its next portion, with these further problems, and deletes the portion. Fails if the import
    /// has ended, or is not at this portion.
    AdvanceImport(Box<ItemImport>, Vec<LineProblem>),
    /// Replaces the draft of an account in a project.
    SaveDraft(SchemaDraft),
    /// Deletes the draft of an account in a project, if there is one.
    DiscardDraft(ProjectId, AccountId),
    /// Removes the proof of an invite. Fails if the invite does not have it any more.
    UseInviteProof(InviteId, TokenDigest),
}

impl Write {
    pub(super) fn owner_ids(&self) -> OwnerIds {
        match self {
            Self::Insert(entity) | Self::Replace(entity) | Self::Remove(entity) => entity.owner_ids(),
            Self::Lock(team) => (Some(team.id), None),
            Self::Hold(member) => (Some(member.team_id), None),
            Self::PutItem(item, _) | Self::RestoreItem(item, _) | Self::ImportItem(item, _) => {
                (None, Some(item.project_id))
            }
            Self::RemoveItem(path, _) => (None, Some(path.project_id)),
            Self::EraseItems(project, ..)
            | Self::RemoveUserData(project, ..)
            | Self::EndDeletion(project, _)
            | Self::DiscardDraft(project, _) => (None, Some(*project)),
            Self::RecordReceipt(receipt) => (None, Some(receipt.project_id)),
            Self::KeepDeletion(deletion) => (None, Some(deletion.project_id)),
            Self::AdvanceImport(import, _) => (None, Some(import.project_id)),
            Self::SaveDraft(draft) => (None, Some(draft.project_id)),
            // The person who proves the address belongs to no team yet.
            Self::UseInviteProof(..) => (None, None),
        }
    }

    /// Returns the user whose items change so that their devices must hear of it.
    pub fn changed_user(&self) -> Option<ProjectUserId> {
        match self {
            Self::PutItem(item, _) | Self::RestoreItem(item, _) | Self::ImportItem(item, _) => Some(item.user_id),
            Self::RemoveItem(path, _) => Some(path.user_id),
            Self::EraseItems(_, user, _) => Some(*user),
            Self::Insert(_)
            | Self::Replace(_)
            | Self::Remove(_)
            | Self::Lock(_)
            | Self::Hold(_)
            | Self::RemoveUserData(..)
            | Self::RecordReceipt(_)
            | Self::KeepDeletion(_)
            | Self::EndDeletion(..)
            | Self::AdvanceImport(..)
            | Self::SaveDraft(_)
            | Self::DiscardDraft(..)
            | Self::UseInviteProof(..) => None,
        }
    }

    pub(super) fn kind(&self) -> ResourceKind {
        match self {
            Self::Insert(entity) | Self::Replace(entity) | Self::Remove(entity) => entity.kind(),
            Self::Lock(_) => ResourceKind::Team,
            Self::Hold(_) => ResourceKind::Member,
            Self::UseInviteProof(..) => ResourceKind::Invite,
            Self::RemoveUserData(..) => ResourceKind::ProjectUser,
            Self::SaveDraft(_) | Self::DiscardDraft(..) => ResourceKind::Schema,
            Self::PutItem(..)
            | Self::RemoveItem(..)
            | Self::EraseItems(..)
            | Self::RecordReceipt(_)
            | Self::KeepDeletion(_)
            | Self::EndDeletion(..)
            | Self::RestoreItem(..)
            | Self::ImportItem(..)
            | Self::AdvanceImport(..) => ResourceKind::Item,
        }
    }
}
