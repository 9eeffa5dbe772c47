//! What the program and the connection share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};

use super::change::{Change, Key, LiveReason};
use super::error::LiveError;
use super::reader::{LiveChanges, MAX_UNREAD, Readers, Unread};
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
    /// Why the service did not store changes of items.
    refused: BTreeMap<Key, LiveReason>,
}

impl Items {
    /// Returns whether the service has stored the changes of an item, unless that is not known.
    fn outcome(&self, key: &Key) -> Option<Result<(), LiveError>> {
        if self.replica.outbox.by_key.contains_key(key) {
            return self.replica.outbox.held.get(key).cloned().map(LiveError::OverQuota).map(Err);
        }
        Some(self.refused.get(key).cloned().map(LiveError::Refused).map_or(Ok(()), Err))
    }
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

    /// Waits until the service has the changes of an item.
    pub(super) async fn stored(&self, key: &Key) -> Result<(), LiveError> {
        let mut progress = self.progress();
        loop {
            let error = progress.borrow_and_update().error.clone().map(Err);
            if let Some(result) = self.items().outcome(key).or(error) {
                return result;
            }
            // The sender is not dropped before `self`.
            let Ok(()) = progress.changed().await else { return Ok(()) };
        }
    }

    /// Makes a local change, or several together.
    pub(super) fn write(&self, changes: Vec<Change>) -> Result<(), LiveError> {
        let mut items = self.items();
        let changed = items.replica.write(changes).inspect_err(|_| self.doubts_schema.notify_one())?;
        changed.iter().for_each(|changed| drop(items.refused.remove(&changed.key)));
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
    fn publish(&self, Items { replica, readers, refused }: &mut Items, changed: Vec<Changed>) {
        for Changed { key, is_correction, reason } in changed {
            if let Some(reason) = reason.as_ref().filter(|_| is_correction) {
                refused.insert(key.clone(), reason.clone());
                if refused.len() > MAX_UNREAD {
                    refused.pop_first();
                }
            }
            let item = replica.item(&key);
            let (table, id) = key;
            readers.send(&Unread { table, id, item, is_correction, reason });
        }
        self.progress.send_modify(|progress| {
            progress.pending = replica.pending();
            progress.held = replica.outbox.waits().cloned();
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
