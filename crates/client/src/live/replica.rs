//! The items of one person on this device: what the service has, and local changes on top. It performs no I/O.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::change::{Change, Fields, Key, LiveReason};
use super::check;
use super::error::LiveError;
use super::state::{LiveState, MAX_PENDING, State};

/// Maximum number of changes and bytes of a portion, which the service stores in one transaction.
const MAX_PORTION: usize = 500;
const MAX_PORTION_BYTES: usize = 256 * 1024;
/// After how long changes that are over quota are sent again.
const RETRY_INTERVAL: Duration = Duration::from_mins(15);

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
    /// The items of the pending changes, by the numbers of these.
    outbox: BTreeMap<u64, Key>,
    by_key: HashMap<Key, Waiting>,
    /// Numbers of the changes of the portion that is not acknowledged. After an interruption it is sent again as it
    /// was, so that the service recognizes it.
    in_flight: Vec<u64>,
    /// Whether the portion was sent over the current connection.
    is_sent: bool,
    /// Items of which changes are kept until there is room for them. Later changes of them wait, too.
    pub(super) held: BTreeMap<Key, LiveReason>,
    /// When the service last refused changes that are over quota.
    refused_at: Option<Instant>,
    /// Whether something was deleted since the portion was sent.
    has_room: bool,
    /// Number of the last change.
    sequence: u64,
    /// Items of a load of everything. Others are deleted at its end.
    loaded: Option<HashSet<Key>>,
    /// The tables of the schema, as this device last read them.
    pub(super) schema: Value,
}

/// The pending changes of an item, with their numbers.
#[derive(Default)]
struct Waiting {
    changes: VecDeque<(u64, Change)>,
    /// What the service has sent of the item since changes of it were sent: its state includes them, or corrects it.
    /// The reason if it did not store one.
    answer: Option<Option<LiveReason>>,
}

/// Items by table and ID.
#[derive(Default)]
struct Tables(BTreeMap<String, BTreeMap<String, Arc<Fields>>>);

/// A message of the service with changes.
pub(super) struct Received {
    pub(super) changes: Vec<Change>,
    pub(super) revision: u64,
    /// Whether a load of everything ends with it, if it is a part of one.
    pub(super) is_complete: Option<bool>,
    /// Whether it is not a part of a load, or the last one.
    pub(super) is_last: bool,
}

/// An item that has changed, and whether the service has not stored a local change as it was made.
#[derive(Debug, PartialEq)]
pub(super) struct Changed {
    pub(super) key: Key,
    pub(super) is_correction: bool,
    pub(super) reason: Option<LiveReason>,
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
            pending: self.outbox.keys().filter_map(|sequence| self.change(*sequence).cloned()).collect(),
            sequence: self.sequence,
        })
    }

    /// Returns the number of changes that are not acknowledged.
    pub(super) fn pending(&self) -> usize {
        self.outbox.len()
    }

    /// Returns the reason if all changes that are not acknowledged wait for room.
    pub(super) fn waits_for_room(&self) -> Option<&LiveReason> {
        let mut waiting = self.outbox.values().map(|key| self.held.get(key));
        let first = waiting.next()??;
        waiting.all(|reason| reason.is_some()).then_some(first)
    }

    /// Returns the items of a table by ID.
    pub(super) fn items(&self, table: &str) -> BTreeMap<String, Arc<Fields>> {
        self.view.0.get(table).cloned().unwrap_or_default()
    }

    pub(super) fn item(&self, key: &Key) -> Option<Arc<Fields>> {
        self.view.get(key).cloned()
    }

    /// Applies a local change. One of the whole item replaces those that wait for room.
    pub(super) fn write(&mut self, change: Change) -> Result<Vec<Changed>, LiveError> {
        let key = change.key.clone();
        check::check(&change, self.view.get(&key), &self.schema).map_err(LiveError::Refused)?;
        if !change.is_patch() && self.held.contains_key(&key) {
            self.discard(&key);
        }
        if self.outbox.len() >= MAX_PENDING {
            return Err(LiveError::TooManyPending);
        }
        self.push(change);
        Ok(distinct(vec![key]))
    }

    fn push(&mut self, change: Change) {
        self.sequence += 1;
        let item = change.applied(self.view.get(&change.key));
        self.view.set(&change.key, item);
        self.outbox.insert(self.sequence, change.key.clone());
        self.by_key.entry(change.key.clone()).or_default().changes.push_back((self.sequence, change));
    }

    fn change(&self, sequence: u64) -> Option<&Change> {
        let changes = &self.by_key.get(self.outbox.get(&sequence)?)?.changes;
        let index = changes.binary_search_by_key(&sequence, |(sequence, _)| *sequence).ok()?;
        Some(&changes.get(index)?.1)
    }

    /// Gives up the changes of an item that wait for room.
    pub(super) fn discard(&mut self, key: &Key) -> Vec<Changed> {
        let waiting = self.held.remove(key).and_then(|_| self.by_key.remove(key)).unwrap_or_default();
        waiting.changes.iter().for_each(|(sequence, _)| drop(self.outbox.remove(sequence)));
        self.shown(vec![key.clone()])
    }

    /// Sends the changes again that wait for room, and those that are in flight if the service tried them before.
    pub(super) fn release(&mut self) {
        self.held.clear();
        self.has_room = true;
    }

    /// Returns when the changes that wait for room are sent again.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.refused_at.filter(|_| !self.held.is_empty()).map(|at| at + RETRY_INTERVAL)
    }

    /// Begins a load of what this device lacks, after which changes are sent.
    pub(super) fn begin_load(&mut self) {
        self.is_sent = false;
        self.loaded = self.revision.is_none().then(HashSet::new);
    }

    /// Applies what the service sent. Returns the items that changed.
    pub(super) fn receive(&mut self, received: Received) -> Vec<Changed> {
        let Received { changes, revision, is_complete, is_last } = received;
        // It can begin at any time: after a restore, the service does not know the revision of this device.
        if is_complete.is_some() {
            self.loaded.get_or_insert_default();
        }
        let mut keys = Vec::new();
        for change in changes {
            let before = self.base.get(&change.key);
            let item = change.applied(before);
            if change.reason.is_none() && item.is_none() && before.is_some() {
                self.release();
            }
            self.base.set(&change.key, item);
            if let Some(waiting) = self.by_key.get_mut(&change.key) {
                waiting.answer = Some(change.reason);
            }
            if let Some(loaded) = &mut self.loaded {
                loaded.insert(change.key.clone());
            }
            keys.push(change.key);
        }
        if is_last {
            self.revision = Some(revision);
            if let Some(loaded) = self.loaded.take() {
                let absent: Vec<Key> = self.base.keys().filter(|key| !loaded.contains(key)).collect();
                absent.iter().for_each(|key| self.base.set(key, None));
                keys.extend(absent);
            }
        }
        self.shown(keys)
    }

    /// Returns the changes to send next, and their ID. They are in flight until `acknowledge` or `begin_load`. `None`
    /// if there are none, or others are in flight.
    pub(super) fn portion(&mut self) -> Option<(u64, Vec<Change>)> {
        if self.is_sent {
            return None;
        }
        // The service answers a portion that it has received before with the reasons of then: there may be room now.
        self.has_room = !self.in_flight.is_empty();
        if self.in_flight.is_empty() {
            self.in_flight = self.next_in_order();
        }
        let request_id = *self.in_flight.first()?;
        self.is_sent = true;
        for key in self.in_flight.iter().filter_map(|sequence| self.outbox.get(sequence)) {
            self.by_key.entry(key.clone()).and_modify(|waiting| waiting.answer = None);
        }
        let changes = self.in_flight.iter().filter_map(|sequence| self.change(*sequence).cloned()).collect();
        Some((request_id, changes))
    }

    fn next_in_order(&self) -> Vec<u64> {
        let mut size = 0_usize;
        let mut found = Vec::new();
        let waiting = self.outbox.iter().filter(|(_, key)| !self.held.contains_key(key));
        for (sequence, _) in waiting.take(MAX_PORTION) {
            size = size.saturating_add(serde_json::to_vec(&self.change(*sequence)).map_or(0, |text| text.len()));
            if size > MAX_PORTION_BYTES && !found.is_empty() {
                break;
            }
            found.push(*sequence);
        }
        found
    }

    /// The service has stored, or corrected, the changes in flight. Returns their items, or `None` if the ID is another one.
    pub(super) fn acknowledge(&mut self, request_id: u64) -> Option<Vec<Changed>> {
        if !self.is_sent || self.in_flight.first() != Some(&request_id) {
            return None;
        }
        self.is_sent = false;
        let sent = mem::take(&mut self.in_flight);
        let keys = sent.iter().filter_map(|sequence| self.outbox.get(sequence).cloned()).collect();
        let mut changed = distinct(keys);
        changed.iter_mut().for_each(|changed| self.settle(changed, sent.last().copied()));
        let refused = changed.iter().filter(|changed| !changed.is_correction && !self.has_room);
        let refused: Vec<_> = refused.filter_map(|each| Some((each.key.clone(), each.reason.clone()?))).collect();
        if !refused.is_empty() {
            self.refused_at = Some(Instant::now());
            self.held.extend(refused);
        }
        Some(changed)
    }

    /// The service has processed the changes of an item up to a number. They are kept if a quota prevented them,
    /// neither a later change of the item is stored, nor does one replace it.
    fn settle(&mut self, changed: &mut Changed, last: Option<u64>) {
        let key = &changed.key;
        let mut waiting = self.by_key.remove(key).unwrap_or_default();
        let count = waiting.changes.partition_point(|(sequence, _)| Some(*sequence) <= last);
        let is_refused = matches!(&waiting.answer, Some(Some(reason)) if reason.code == "quota_exceeded");
        let is_kept = is_refused && waiting.changes.range(count..).all(|(_, change)| change.is_patch());
        let is_stored = |(_, change): &(u64, Change)| change.is_included_in(self.base.get(key));
        let stored = || waiting.changes.range(..count).rposition(is_stored).map_or(0, |index| index + 1);
        let done = if is_kept { stored() } else { count };
        for (sequence, change) in waiting.changes.drain(..done) {
            self.outbox.remove(&sequence);
            let before = self.base.get(key);
            if let Some(reason) = &waiting.answer {
                if !change.is_included_in(before) {
                    (changed.is_correction, changed.reason) = (true, reason.clone());
                }
                continue;
            }
            let item = change.applied(before);
            if item.is_none() && before.is_some() {
                self.held.clear();
                self.has_room = true;
            }
            self.base.set(key, item);
        }
        if done < count {
            changed.reason = waiting.answer.take().flatten();
        }
        if !waiting.changes.is_empty() {
            self.by_key.insert(key.clone(), waiting);
        }
        self.show(&changed.key);
    }

    /// Shows items, and returns each once.
    fn shown(&mut self, keys: Vec<Key>) -> Vec<Changed> {
        let changed = distinct(keys);
        changed.iter().for_each(|changed| self.show(&changed.key));
        changed
    }

    /// Computes what the program sees of an item.
    fn show(&mut self, key: &Key) {
        let waiting = self.by_key.get(key).into_iter().flat_map(|waiting| &waiting.changes);
        let item = waiting.fold(self.base.get(key).cloned(), |item, (_, change)| change.applied(item.as_ref()));
        self.view.set(key, item);
    }
}

fn distinct(keys: Vec<Key>) -> Vec<Changed> {
    let mut seen = HashSet::new();
    let keys = keys.into_iter().filter(|key| seen.insert(key.clone()));
    keys.map(|key| Changed { key, is_correction: false, reason: None }).collect()
}

impl Tables {
    fn get(&self, key: &Key) -> Option<&Arc<Fields>> {
        self.0.get(&key.0)?.get(&key.1)
    }

    fn set(&mut self, key: &Key, item: Option<Arc<Fields>>) {
        match item {
            Some(item) => drop(self.0.entry(key.0.clone()).or_default().insert(key.1.clone(), item)),
            None => drop(self.0.get_mut(&key.0).and_then(|items| items.remove(&key.1))),
        }
    }

    fn keys(&self) -> impl Iterator<Item = Key> {
        self.0.iter().flat_map(|(table, items)| items.keys().map(|id| (table.clone(), id.clone())))
    }
}

#[cfg(test)]
mod tests;
