//! What the program and the connection share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use super::change::Change;
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
    /// Why the connection ended for good.
    pub(super) error: Option<LiveError>,
}

pub(super) struct Shared {
    items: Mutex<Items>,
    /// Errors and numbers change only while `items` is locked, so that both agree.
    progress: watch::Sender<Progress>,
    /// Changes wait to be sent.
    pub(super) has_changes: Notify,
}

#[derive(Default)]
pub(super) struct Items {
    pub(super) replica: Replica,
    pub(super) readers: Readers,
}

impl Shared {
    pub(super) fn new(state: Option<LiveState>) -> Self {
        let replica = state.map(Replica::restore).unwrap_or_default();
        let progress = Progress { status: LiveStatus::Connecting, pending: replica.pending(), error: None };
        let items = Mutex::new(Items { replica, ..Items::default() });
        Self { items, progress: watch::Sender::new(progress), has_changes: Notify::new() }
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
        let key = change.key.clone();
        self.update(|replica| replica.write(change).map(|()| vec![Changed { key, is_correction: false }]))?;
        self.has_changes.notify_one();
        Ok(())
    }

    /// Changes the items, and tells the readers.
    pub(super) fn update<E>(&self, change: impl FnOnce(&mut Replica) -> Result<Vec<Changed>, E>) -> Result<(), E> {
        let mut items = self.items();
        let Items { replica, readers } = &mut *items;
        for Changed { key, is_correction } in change(replica)? {
            let item = replica.item(&key);
            readers.send(&Unread { key, item, is_correction });
        }
        self.progress.send_modify(|progress| progress.pending = replica.pending());
        Ok(())
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
