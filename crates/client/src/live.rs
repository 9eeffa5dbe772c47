//! Live items: the items of a signed-in person on this device, in sync with the service over WebSocket (docs/sync.md).

mod atomic;
mod change;
mod check;
mod connection;
mod error;
mod message;
mod outbox;
mod reader;
mod replica;
mod run;
mod shared;
mod socket;
mod state;
mod table;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub use atomic::AtomicWrite;
pub use change::{Fields, LiveReason};
pub use error::LiveError;
pub use reader::{LiveChange, LiveChanges};
pub use shared::LiveStatus;
pub use state::LiveState;
pub use table::LiveTable;

use crate::Client;
use crate::debug::opaque;
use shared::{Handle, Progress, Shared};

impl Client {
    /// Returns the items of the person who signed in, in sync with the service. The client has a token of the person for the
    /// project, with the scope `app:db:read`, and `app:db:write` for changes; a
    /// [`TokenSource`](crate::TokenSource) replaces tokens that expire.
    ///
    /// The connection begins at once, in a task of the current Tokio runtime. It panics outside of one.
    pub fn live(&self, project_id: impl fmt::Display) -> LiveItems {
        self.start_live(project_id.to_string(), None)
    }

    /// Continues with what [`LiveItems::state`] returned before the program ended, as [`live`](Self::live) does otherwise. The
    /// items can be read at once, and changes that were pending are sent.
    pub fn live_from(&self, state: LiveState, project_id: impl fmt::Display) -> LiveItems {
        self.start_live(project_id.to_string(), Some(state))
    }

    fn start_live(&self, project_id: String, state: Option<LiveState>) -> LiveItems {
        let shared = Arc::new(Shared::new(state));
        let task = tokio::spawn(run::run(self.clone(), project_id, shared.clone())).abort_handle();
        LiveItems { handle: Arc::new(Handle { shared, task }) }
    }
}

/// The items of a person in a project, in sync with the service: [`Client::live`].
///
/// Local changes apply at once, also while this device is offline, and are sent when it is connected. After an interruption
/// it connects again, with growing delays. All items of the person are in memory.
///
/// It is cheap to clone. When the last clone and the last [`LiveTable`] are dropped, the connection ends.
#[derive(Clone)]
pub struct LiveItems {
    handle: Arc<Handle>,
}

impl LiveItems {
    /// Returns the items of a table. `T` is the type of its items, such as one that `steward schema types --lang rust`
    /// generates, or [`Fields`].
    pub fn table<T>(&self, name: impl Into<String>) -> LiveTable<T> {
        LiveTable::new(self.handle.clone(), name.into())
    }

    /// Returns a write of several items, which the service stores together, or not at all. If it refuses one change, or a
    /// quota leaves no room, all are taken back, with one reason. There can be 1,000 changes and 1 MiB.
    pub fn atomic(&self) -> AtomicWrite {
        AtomicWrite { handle: self.handle.clone(), changes: Vec::new(), sent: Vec::new() }
    }

    /// Returns whether this device is connected.
    pub fn status(&self) -> LiveStatus {
        self.handle.shared.progress().borrow().status
    }

    /// Returns table and ID of the items of which the service did not store local changes because a quota is reached,
    /// with the reason.
    ///
    /// The changes stay pending, and this device still has them. They are sent again after a deletion, every 15
    /// minutes, and with [`retry_held`](Self::retry_held). [`LiveTable::discard_held`] gives them up.
    pub fn held(&self) -> BTreeMap<(String, String), LiveReason> {
        self.handle.shared.items().replica.outbox.held.clone()
    }

    /// Sends the changes again that are over quota.
    pub fn retry_held(&self) {
        self.handle.shared.retry();
    }

    /// Returns the number of local changes that the service has not acknowledged: at most 50,000.
    pub fn pending(&self) -> usize {
        self.handle.shared.items().replica.pending()
    }

    /// Returns the items and the pending changes. Store them, for example as JSON, and continue with [`Client::live_from`].
    pub fn state(&self) -> LiveState {
        self.handle.shared.items().replica.state()
    }

    /// Waits until this device has loaded what it lacked, and the service has acknowledged all local changes. While the
    /// service cannot be reached, that takes forever: see [`tokio::time::timeout`].
    ///
    /// # Errors
    ///
    /// [`LiveError::OverQuota`] if all that is left is over quota, and [`LiveError::Ended`] if the connection ended for
    /// good.
    pub async fn synced(&self) -> Result<(), LiveError> {
        let mut progress = self.handle.shared.progress();
        let is_settled = |now: &Progress| {
            now.error.is_some() || now.status == LiveStatus::Online && (now.pending == 0 || now.held.is_some())
        };
        // The sender is not dropped before `self`.
        let Ok(now) = progress.wait_for(is_settled).await else { return Ok(()) };
        let held = now.held.clone().map(LiveError::OverQuota);
        now.error.clone().or(held).map_or(Ok(()), Err)
    }

    /// Waits until the status differs from this one, and returns it.
    ///
    /// # Errors
    ///
    /// [`LiveError::Ended`] if the connection ended for good.
    pub async fn status_after(&self, status: LiveStatus) -> Result<LiveStatus, LiveError> {
        let mut progress = self.handle.shared.progress();
        let reached = progress.wait_for(|now| now.status != status || now.error.is_some()).await;
        let Ok(now) = reached else { return Ok(LiveStatus::Offline) };
        now.error.clone().map_or(Ok(now.status), Err)
    }

    /// Returns the changes of all tables from now on, by this device and others.
    pub fn changes(&self) -> LiveChanges {
        self.handle.shared.changes(None)
    }
}

// Items are personal data.
opaque!(LiveItems, |live| status = live.status(), pending = live.pending());

#[cfg(test)]
mod tests;
