//! The items of one person on this device: what the service has, and local changes on top. It performs no I/O.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::mem;
use std::sync::Arc;

use super::change::{Change, Fields, Key};
use super::error::LiveError;
use super::state::{LiveState, MAX_PENDING, State};

/// Maximum number of changes and bytes of a portion, which the service stores in one transaction.
const MAX_PORTION: usize = 500;
const MAX_PORTION_BYTES: usize = 256 * 1024;

/// The items, and the changes that the service has not acknowledged.
#[derive(Default)]
pub(super) struct Replica {
    /// The name that the service gave this device.
    pub(super) device: Option<String>,
    /// The last revision of the service that this device has. `None` before it has loaded everything.
    pub(super) revision: Option<u64>,
    /// What the service has.
    base: Tables,
    /// What the program sees: with pending changes.
    view: Tables,
    /// Pending changes, with consecutive numbers. The first `in_flight` of them were sent.
    outbox: VecDeque<Pending>,
    in_flight: usize,
    /// Numbers of the pending changes of each item.
    by_key: HashMap<Key, VecDeque<u64>>,
    /// Number of the last change.
    sequence: u64,
    /// Items of a load of everything. Others are deleted at its end.
    loaded: Option<HashSet<Key>>,
}

struct Pending {
    change: Change,
    /// Whether the service has sent the item since the change was sent. Its state then includes the change, or corrects it.
    is_answered: bool,
}

/// Items by table and ID.
#[derive(Default)]
struct Tables(BTreeMap<String, BTreeMap<String, Arc<Fields>>>);

/// A message of the service with changes.
pub(super) struct Received {
    pub(super) changes: Vec<Change>,
    pub(super) revision: u64,
    /// Whether it is a part of the load after a connection.
    pub(super) is_loading: bool,
    /// Whether it completes the load.
    pub(super) is_last: bool,
}

/// The changes to send next.
pub(super) struct Portion {
    pub(super) changes: Vec<Change>,
    pub(super) request_id: u64,
    pub(super) base_revision: Option<u64>,
}

/// An item that has changed, and whether the service has not stored a local change as it was made.
#[derive(Debug, PartialEq)]
pub(super) struct Changed {
    pub(super) key: Key,
    pub(super) is_correction: bool,
}

impl Replica {
    /// Continues with a stored state.
    pub(super) fn restore(LiveState(state): LiveState) -> Self {
        let (base, view) = (Tables(state.items.clone()), Tables(state.items));
        let count = u64::try_from(state.pending.len()).unwrap_or_default();
        let mut replica = Self { device: state.device, revision: state.revision, base, view, ..Self::default() };
        replica.sequence = state.sequence.saturating_sub(count);
        for change in state.pending {
            replica.push(change);
        }
        replica
    }

    /// Returns what `restore` needs.
    pub(super) fn state(&self) -> LiveState {
        LiveState(State {
            device: self.device.clone(),
            revision: self.revision,
            items: self.base.0.clone(),
            pending: self.outbox.iter().map(|pending| pending.change.clone()).collect(),
            sequence: self.sequence,
        })
    }

    /// Returns the number of changes that are not acknowledged.
    pub(super) fn pending(&self) -> usize {
        self.outbox.len()
    }

    /// Returns the items of a table by ID.
    pub(super) fn items(&self, table: &str) -> BTreeMap<String, Arc<Fields>> {
        self.view.0.get(table).cloned().unwrap_or_default()
    }

    pub(super) fn item(&self, key: &Key) -> Option<Arc<Fields>> {
        self.view.get(key).cloned()
    }

    /// Applies a local change.
    pub(super) fn write(&mut self, change: Change) -> Result<(), LiveError> {
        if self.outbox.len() >= MAX_PENDING {
            return Err(LiveError::TooManyPending);
        }
        self.push(change);
        Ok(())
    }

    fn push(&mut self, change: Change) {
        self.sequence += 1;
        let item = change.applied(self.view.get(&change.key));
        self.view.set(&change.key, item);
        self.by_key.entry(change.key.clone()).or_default().push_back(self.sequence);
        self.outbox.push_back(Pending { change, is_answered: false });
    }

    /// Begins a load of what this device lacks, after which changes are sent.
    pub(super) fn begin_load(&mut self) {
        self.in_flight = 0;
        self.loaded = self.revision.is_none().then(HashSet::new);
    }

    /// Applies what the service sent. Returns the items that changed.
    pub(super) fn receive(&mut self, received: Received) -> Vec<Changed> {
        // The service begins again: after a restore, it does not know the revision of this device.
        let is_older = self.revision.is_some_and(|known| received.revision < known);
        if received.is_loading && is_older {
            self.loaded.get_or_insert_default();
        }
        let mut keys = Vec::new();
        for change in received.changes {
            let item = change.applied(self.base.get(&change.key));
            self.base.set(&change.key, item);
            self.mark_answered(&change.key);
            if let Some(loaded) = self.loaded.as_mut().filter(|_| received.is_loading) {
                loaded.insert(change.key.clone());
            }
            keys.push(change.key);
        }
        if !received.is_loading || received.is_last {
            if let Some(loaded) = self.loaded.take_if(|_| received.is_loading) {
                let absent: Vec<Key> = self.base.keys().filter(|key| !loaded.contains(key)).collect();
                absent.iter().for_each(|key| self.base.set(key, None));
                keys.extend(absent);
            }
            self.revision = Some(received.revision);
        }
        let mut seen = HashSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        keys.iter().for_each(|key| self.show(key));
        keys.into_iter().map(|key| Changed { key, is_correction: false }).collect()
    }

    /// The service has sent an item, so it has processed the changes of it that are in flight.
    fn mark_answered(&mut self, key: &Key) {
        let first = self.first_pending();
        for sequence in self.by_key.get(key).into_iter().flatten() {
            let index = usize::try_from(sequence.saturating_sub(first)).unwrap_or(usize::MAX);
            if index < self.in_flight
                && let Some(pending) = self.outbox.get_mut(index)
            {
                pending.is_answered = true;
            }
        }
    }

    /// Returns the number of the first pending change.
    fn first_pending(&self) -> u64 {
        let count = u64::try_from(self.outbox.len()).unwrap_or_default();
        self.sequence.saturating_sub(count).saturating_add(1)
    }

    /// Returns the changes to send next. They are in flight until `acknowledge` or `begin_load`. `None` if there are none, or
    /// others are in flight.
    pub(super) fn portion(&mut self) -> Option<Portion> {
        if self.in_flight > 0 || self.outbox.is_empty() {
            return None;
        }
        let mut size = 0_usize;
        let mut changes = Vec::new();
        for pending in self.outbox.iter_mut().take(MAX_PORTION) {
            size = size.saturating_add(serde_json::to_vec(&pending.change).map_or(0, |text| text.len()));
            if size > MAX_PORTION_BYTES && !changes.is_empty() {
                break;
            }
            pending.is_answered = false;
            changes.push(pending.change.clone());
        }
        self.in_flight = changes.len();
        Some(Portion { changes, request_id: self.first_pending(), base_revision: self.revision })
    }

    /// The service has stored, or corrected, the changes in flight. Returns their items, or `None` if the ID is another one.
    pub(super) fn acknowledge(&mut self, request_id: u64) -> Option<Vec<Changed>> {
        if self.in_flight == 0 || request_id != self.first_pending() {
            return None;
        }
        let sent: Vec<Pending> = self.outbox.drain(..mem::take(&mut self.in_flight)).collect();
        for Pending { change, is_answered } in &sent {
            if !is_answered {
                let item = change.applied(self.base.get(&change.key));
                self.base.set(&change.key, item);
            }
            if let Some(waiting) = self.by_key.get_mut(&change.key) {
                waiting.pop_front();
                if waiting.is_empty() {
                    self.by_key.remove(&change.key);
                }
            }
        }
        let answered = sent.iter().filter(|pending| pending.is_answered).map(|pending| &pending.change);
        let corrected = answered.filter(|change| !change.is_included_in(self.base.get(&change.key)));
        let corrected: HashSet<Key> = corrected.map(|change| change.key.clone()).collect();
        let mut changed = Vec::new();
        let mut seen = HashSet::new();
        for key in sent.into_iter().map(|pending| pending.change.key) {
            if seen.insert(key.clone()) {
                self.show(&key);
                changed.push(Changed { is_correction: corrected.contains(&key), key });
            }
        }
        Some(changed)
    }

    /// Computes what the program sees of an item.
    fn show(&mut self, key: &Key) {
        let first = self.first_pending();
        let mut item = self.base.get(key).cloned();
        for sequence in self.by_key.get(key).into_iter().flatten() {
            let index = usize::try_from(sequence.saturating_sub(first)).unwrap_or(usize::MAX);
            if let Some(pending) = self.outbox.get(index) {
                item = pending.change.applied(item.as_ref());
            }
        }
        self.view.set(key, item);
    }
}

impl Tables {
    fn get(&self, key: &Key) -> Option<&Arc<Fields>> {
        self.0.get(&key.0)?.get(&key.1)
    }

    fn set(&mut self, key: &Key, item: Option<Arc<Fields>>) {
        match (item, self.0.get_mut(&key.0)) {
            (Some(item), Some(items)) => drop(items.insert(key.1.clone(), item)),
            (Some(item), None) => drop(self.0.insert(key.0.clone(), BTreeMap::from([(key.1.clone(), item)]))),
            (None, Some(items)) => drop(items.remove(&key.1)),
            (None, None) => {}
        }
    }

    fn keys(&self) -> impl Iterator<Item = Key> {
        self.0.iter().flat_map(|(table, items)| items.keys().map(|id| (table.clone(), id.clone())))
    }
}

#[cfg(test)]
mod tests;
