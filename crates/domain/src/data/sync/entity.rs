//! Synchronization of a user's items with devices that also change them offline.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::data::{ItemKey, ItemValue};
use crate::kernel::{ProjectId, ProjectUserId, SyncRejectionId, Time};

/// The place of an item as a device names it. The parts are not validated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SyncKey {
    /// The table.
    pub table: String,
    /// The ID of the item.
    pub id: String,
}

impl From<&ItemKey> for SyncKey {
    fn from(key: &ItemKey) -> Self {
        Self { table: key.table.clone(), id: key.id.as_str().to_owned() }
    }
}

/// A change that a device made to an item.
#[derive(Debug, Clone, PartialEq)]
pub struct SyncChange {
    /// The item.
    pub key: SyncKey,
    /// What the device did to it.
    pub edit: SyncEdit,
}

/// What a device did to an item.
#[derive(Debug, Clone, PartialEq)]
pub enum SyncEdit {
    /// Created or replaced the item.
    Put(Map<String, Value>),
    /// Set the values at these paths, such as `meta.color`; null removes a path. Creates the item if it is missing.
    Update(Map<String, Value>),
    /// Deleted the item.
    Delete,
}

/// The current state of an item, for a device.
#[derive(Debug, Clone, PartialEq)]
pub struct SyncedItem {
    /// The item.
    pub key: SyncKey,
    /// Its fields; `None` if it does not exist.
    pub value: Option<ItemValue>,
}

/// A stored change of an item, by any caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// The project of the user.
    pub project_id: ProjectId,
    /// The user who owns the item.
    pub user_id: ProjectUserId,
    /// The item.
    pub key: SyncKey,
    /// Position of the change. Positions increase in the order in which changes are settled.
    pub position: i64,
    /// When the item was changed.
    pub at: Time,
}

/// Settled changes in order of their positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettledChanges {
    /// The changes.
    pub changes: Vec<ItemChange>,
    /// Position up to which there are no other changes.
    pub through: i64,
    /// Last position of all changes that had begun: later ones get higher positions.
    pub started: i64,
    /// Whether the store may have been restored in between, so that it may lack changes that devices have.
    pub is_interrupted: bool,
}

/// The users whose items changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedUsers {
    /// Only these.
    Listed(HashSet<ProjectUserId>),
    /// Too many to list: any user.
    Any,
}

impl ChangedUsers {
    /// Maximum number of users that are listed.
    pub const MAX_LISTED: usize = 100;

    /// Returns whether no items changed.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Listed(users) if users.is_empty())
    }

    /// Adds the users of further changes.
    pub fn add(&mut self, other: Self) {
        let is_listed = match (&mut *self, other) {
            (Self::Listed(users), Self::Listed(others)) => {
                users.extend(others);
                users.len() <= Self::MAX_LISTED
            }
            _ => false,
        };
        if !is_listed {
            *self = Self::Any;
        }
    }
}

impl Default for ChangedUsers {
    fn default() -> Self {
        Self::Listed(HashSet::new())
    }
}

impl FromIterator<ProjectUserId> for ChangedUsers {
    fn from_iter<I: IntoIterator<Item = ProjectUserId>>(users: I) -> Self {
        let mut all = Self::default();
        all.add(Self::Listed(users.into_iter().collect()));
        all
    }
}

/// A range of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncSpan {
    /// Position after which the range starts.
    pub after: i64,
    /// Last position of the range.
    pub through: i64,
}

/// Record of the last message of a device that changed items, by which a repeated message is recognized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncReceipt {
    /// The project of the user.
    pub project_id: ProjectId,
    /// The user who owns the items.
    pub user_id: ProjectUserId,
    /// Slot of the device. Devices may share a slot; the number of slots bounds the number of receipts of a user.
    pub slot: i64,
    /// Digest of the device and the message, followed by the reasons of its rejected changes. If the message is stored
    /// in portions, those of each portion that was stored, separated by spaces.
    pub digest: String,
}

/// A change of a device that was not stored, or not completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncRejection {
    /// Unique ID of the rejection.
    pub id: SyncRejectionId,
    /// The project of the user.
    pub project_id: ProjectId,
    /// The user who owns the item.
    pub user_id: ProjectUserId,
    /// When the change was rejected.
    pub at: Time,
    /// The device that made the change.
    pub device: String,
    /// The item.
    pub key: SyncKey,
    /// Machine-readable reason.
    pub code: String,
    /// The reason, for developers.
    pub message: String,
}
