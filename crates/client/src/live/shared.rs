//! What the program and the connection share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use super::change::{Change, LiveReason};
use super::error::LiveError;
use super::reader::{LiveChanges, Readers, Unread};
use super::replica::{Changed, Replica};
use super::state::LiveState;

/// Whether a device is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveStatus {
    /// Not connected. The next attempt follows, unless the connection ended for good.
    Offline,
    /// Connecting, or loading what this device lacks.
    Connecting,
    /// Connected, after everything was loaded that this device lacked.
    Online,
}

/// What [`Shared::progress`] tells.
#[derive(Debug, Clone)]
pub(super) struct Progress {
    pub(super) status: LiveStatus,
    /// Number of changes that are not acknowledged.
    pub(super) pending: usize,
    /// The reason if all of them wait for room.
    pub(super) held: Option<LiveReason>,
    /// Why the connection ended for good.
    pub(super) error: Option<LiveError>,
}

pub(super) struct Shared {
    items: Mutex<Items>,
    /// Errors and numbers change only while `items` is locked, so that both agree.
    progress: watch::Sender<Progress>,
    /// Changes wait to be sent.
    pub(super) has_changes: Notify,
    /// The schema may have changed.
    pub(super) doubts_schema: Notify,
}

#[derive(Default)]
pub(super) struct Items {
    pub(super) replica: Replica,
    pub(super) readers: Readers,
}

impl Shared {
    pub(super) fn new(state: Option<LiveState>) -> Self {
        let replica = state.map(Replica::restore).unwrap_or_default();
        let (status, pending) = (LiveStatus::Connecting, replica.pending());
        let progress = watch::Sender::new(Progress { status, pending, held: None, error: None });
        let items = Mutex::new(Items { replica, ..Items::default() });
        Self { items, progress, has_changes: Notify::new(), doubts_schema: Notify::new() }
    }

    /// Returns the items. Nothing panics while they are locked, and nothing waits.
    pub(super) fn items(&self) -> MutexGuard<'_, Items> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    pub(super) fn set_status(&self, status: LiveStatus) {
        self.progress.send_modify(|progress| progress.status = status);
    }

    /// The connection ended for good.
    pub(super) fn end(&self, error: LiveError) {
        let mut items = self.items();
        items.readers.end(&error);
        self.progress.send_modify(|progress| {
            progress.status = LiveStatus::Offline;
            progress.error = Some(error);
        });
    }

    /// Returns the changes of a table, or of all, from now on.
    pub(super) fn changes<T>(&self, table: Option<&str>) -> LiveChanges<T> {
        let mut items = self.items();
        let changes = items.readers.add(table);
        if let Some(error) = &self.progress.borrow().error {
            items.readers.end(error);
        }
        changes
    }

    /// Makes a local change.
    pub(super) fn write(&self, change: Change) -> Result<(), LiveError> {
        let mut items = self.items();
        let changed = items.replica.write(change).inspect_err(|_| self.doubts_schema.notify_one())?;
        self.publish(&mut items, changed);
        Ok(())
    }

    /// Sends the changes again that wait for room.
    pub(super) fn retry(&self) {
        self.update(|replica| {
            replica.release();
            Vec::new()
        });
    }

    /// Changes the items.
    pub(super) fn update(&self, change: impl FnOnce(&mut Replica) -> Vec<Changed>) {
        let mut items = self.items();
        let changed = change(&mut items.replica);
        self.publish(&mut items, changed);
    }

    /// Tells the readers and the connection what has changed.
    fn publish(&self, Items { replica, readers }: &mut Items, changed: Vec<Changed>) {
        for Changed { key, is_correction, reason } in changed {
            let item = replica.item(&key);
            readers.send(&Unread { key, item, is_correction, reason });
        }
        self.progress.send_modify(|progress| {
            progress.pending = replica.pending();
            progress.held = replica.waits_for_room().cloned();
        });
        self.has_changes.notify_one();
    }
}

/// Ends the connection when it is dropped.
pub(super) struct Handle {
    pub(super) shared: Arc<Shared>,
    pub(super) task: tokio::task::AbortHandle,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.task.abort();
    }
}
