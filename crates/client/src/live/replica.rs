//! The items of one person on this device: what the service has, and local changes on top. It performs no I/O.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::change::{Change, Fields, Key, LiveReason};
use super::check;
use super::error::LiveError;
use super::outbox::Outbox;
use super::state::{LiveState, MAX_PENDING, State};

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
    pub(super) outbox: Outbox,
    /// What the service has sent of items since changes of them were sent: its state includes them, or corrects it. The
    /// reason if it did not store one.
    answers: HashMap<Key, Option<LiveReason>>,
    /// Whether the service stores changes together. `None` before the first connection.
    is_atomic: Option<bool>,
    /// Numbers of the changes of the portion that is not acknowledged. After an interruption it is sent again as it
    /// was, so that the service recognizes it.
    in_flight: Vec<u64>,
    /// Whether the portion was sent over the current connection.
    is_sent: bool,
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

/// Items by table and ID.
#[derive(Default)]
struct Tables(BTreeMap<String, BTreeMap<String, Arc<Fields>>>);

/// A message of the service with changes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Received {
    pub(super) changes: Vec<Change>,
    pub(super) current_revision: u64,
    /// Whether others complete the load.
    #[serde(default)]
    pub(super) partial: bool,
    /// Whether a load of everything ends with it, if it is a part of one.
    pub(super) complete: Option<bool>,
}

impl Received {
    /// Returns whether it is not a part of a load, or the last one.
    pub(super) fn is_last(&self) -> bool {
        self.complete.unwrap_or(!self.partial)
    }
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
            pending: self.outbox.changes.values().cloned().collect(),
            sequence: self.sequence,
        })
    }

    /// Returns the number of changes that are not acknowledged.
    pub(super) fn pending(&self) -> usize {
        self.outbox.changes.len()
    }

    /// Returns the items of a table by ID.
    pub(super) fn items(&self, table: &str) -> BTreeMap<String, Arc<Fields>> {
        self.view.0.get(table).cloned().unwrap_or_default()
    }

    pub(super) fn item(&self, key: &Key) -> Option<Arc<Fields>> {
        self.view.get(key).cloned()
    }

    /// Applies a local change, or several together. One of the whole item replaces those that wait for room.
    pub(super) fn write(&mut self, changes: Vec<Change>) -> Result<Vec<Changed>, LiveError> {
        check::check_together(&changes, self.is_atomic).map_err(LiveError::Refused)?;
        let mut items = HashMap::new();
        for change in &changes {
            let item = items.entry(&change.key).or_insert_with(|| self.item(&change.key));
            check::check(change, item.as_ref(), &self.schema).map_err(LiveError::Refused)?;
            *item = change.applied(item.as_ref());
        }
        for change in changes.iter().filter(|change| !change.is_patch()) {
            if self.outbox.over_quota.contains_key(&change.key) {
                let replaced = self.outbox.replaced(&change.key);
                self.remove(&replaced);
            }
        }
        if self.pending().saturating_add(changes.len()) > MAX_PENDING {
            return Err(LiveError::TooManyPending);
        }
        let (first, keys) = (self.sequence + 1, changes.iter().map(|change| change.key.clone()).collect());
        changes.into_iter().for_each(|change| self.push(change));
        self.outbox.wait(first);
        Ok(distinct(keys))
    }

    fn push(&mut self, change: Change) {
        self.sequence += 1;
        let item = change.applied(self.view.get(&change.key));
        self.view.set(&change.key, item);
        self.outbox.push(self.sequence, change);
    }

    /// Gives up the changes of an item that wait for room, with what belongs together with them.
    pub(super) fn discard(&mut self, key: &Key) -> Vec<Changed> {
        let given_up = self.outbox.given_up(key);
        self.remove(&given_up)
    }

    fn remove(&mut self, sequences: &[u64]) -> Vec<Changed> {
        let removed = sequences.iter().filter_map(|sequence| self.outbox.remove(*sequence));
        let keys = removed.map(|change| change.key).collect();
        self.outbox.hold();
        self.shown(keys)
    }

    /// Gives up changes that the service did not store.
    fn refuse(&mut self, sequences: &[u64], reason: &LiveReason) -> Vec<Changed> {
        let mut changed = self.remove(sequences);
        changed.iter_mut().for_each(|each| (each.is_correction, each.reason) = (true, Some(reason.clone())));
        changed
    }

    /// Learns whether the service stores changes together. An earlier version would store a part of them.
    pub(super) fn learn_atomic(&mut self, is_atomic: bool) -> Vec<Changed> {
        self.is_atomic = Some(is_atomic);
        let together = self.outbox.changes.iter().filter(|(_, change)| !is_atomic && change.group.is_some());
        let together: Vec<u64> = together.map(|(sequence, _)| *sequence).collect();
        self.in_flight.retain(|sequence| !together.contains(sequence));
        self.refuse(&together, &check::not_atomic())
    }

    /// Sends the changes again that wait for room, and those that are in flight if the service tried them before.
    pub(super) fn release(&mut self) {
        self.outbox.over_quota.clear();
        self.outbox.hold();
        self.has_room = true;
    }

    /// Returns when the changes that wait for room are sent again.
    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.refused_at.filter(|_| !self.outbox.held.is_empty()).map(|at| at + RETRY_INTERVAL)
    }

    /// Begins a load of what this device lacks, after which changes are sent.
    pub(super) fn begin_load(&mut self) {
        self.is_sent = false;
        self.loaded = self.revision.is_none().then(HashSet::new);
    }

    /// Applies what the service sent. Returns the items that changed.
    pub(super) fn receive(&mut self, received: Received) -> Vec<Changed> {
        // It can begin at any time: after a restore, the service does not know the revision of this device.
        if received.complete.is_some() {
            self.loaded.get_or_insert_default();
        }
        let (mut keys, is_last) = (Vec::new(), received.is_last());
        for change in received.changes {
            let before = self.base.get(&change.key);
            let item = change.applied(before);
            if change.reason.is_none() && item.is_none() && before.is_some() {
                self.release();
            }
            self.base.set(&change.key, item);
            if self.outbox.by_key.contains_key(&change.key) {
                let answer = self.answers.entry(change.key.clone()).or_default();
                *answer = change.reason.or(answer.take());
            }
            if let Some(loaded) = &mut self.loaded {
                loaded.insert(change.key.clone());
            }
            keys.push(change.key);
        }
        if is_last {
            self.revision = Some(received.current_revision);
            if let Some(loaded) = self.loaded.take() {
                let absent: Vec<Key> = self.base.keys().filter(|key| !loaded.contains(key)).collect();
                absent.iter().for_each(|key| self.base.set(key, None));
                keys.extend(absent);
            }
        }
        self.shown(keys)
    }

    /// Returns the changes to send next, their ID, and whether they belong together. They are in flight until
    /// `acknowledge` or `begin_load`. `None` if there are none, or others are in flight.
    pub(super) fn portion(&mut self) -> Option<(u64, Vec<Change>, bool)> {
        if self.is_sent {
            return None;
        }
        // The service answers a portion that it has received before with the reasons of then: there may be room now.
        self.has_room = !self.in_flight.is_empty();
        if self.in_flight.is_empty() {
            self.in_flight = self.outbox.next();
        }
        let request_id = *self.in_flight.first()?;
        self.is_sent = true;
        self.answers.clear();
        let changes = self.in_flight.iter().filter_map(|sequence| self.outbox.changes.get(sequence));
        let changes = changes.map(|change| Change { group: None, ..change.clone() }).collect();
        Some((request_id, changes, self.is_together(request_id)))
    }

    fn is_together(&self, sequence: u64) -> bool {
        self.outbox.changes.get(&sequence).is_some_and(|change| change.group.is_some())
    }

    /// The service has stored, or corrected, the changes in flight. Returns their items, or `None` if the ID is another one.
    pub(super) fn acknowledge(&mut self, request_id: u64) -> Option<Vec<Changed>> {
        if !self.is_sent || self.in_flight.first() != Some(&request_id) {
            return None;
        }
        self.is_sent = false;
        let sent = mem::take(&mut self.in_flight);
        let keys = sent.iter().filter_map(|sequence| Some(self.outbox.changes.get(sequence)?.key.clone()));
        let mut changed = distinct(keys.collect());
        let mut reasons = changed.iter().filter_map(|changed| self.answers.get(&changed.key)?.clone());
        if let Some(reason) = reasons.next().filter(|_| self.is_together(request_id)) {
            return Some(self.refuse(&sent, &reason));
        }
        changed.iter_mut().for_each(|changed| self.settle(changed, &sent));
        let refused = changed.iter().filter(|changed| !changed.is_correction && !self.has_room);
        let refused: Vec<_> = refused.filter_map(|each| Some((each.key.clone(), each.reason.clone()?))).collect();
        if !refused.is_empty() {
            self.refused_at = Some(Instant::now());
            self.outbox.over_quota.extend(refused);
            self.outbox.hold();
        }
        Some(changed)
    }

    /// The service has processed the changes of an item that were sent. They are kept if a quota prevented them,
    /// neither a later change of the item is stored, nor does one replace it.
    fn settle(&mut self, changed: &mut Changed, sent: &[u64]) {
        let key = &changed.key;
        let answer = self.answers.remove(key);
        let is_sent = |sequence: &u64| sent.binary_search(sequence).is_ok();
        let (own, later): (Vec<u64>, Vec<u64>) = self.outbox.of(key).map(|(sequence, _)| *sequence).partition(is_sent);
        let change = |sequence: &u64| self.outbox.changes.get(sequence);
        let is_refused = matches!(&answer, Some(Some(reason)) if reason.code == "quota_exceeded");
        let is_kept = is_refused && later.iter().filter_map(change).all(Change::is_patch);
        let is_stored = |sequence| change(sequence).is_some_and(|change| change.is_included_in(self.base.get(key)));
        let stored = || own.iter().rposition(is_stored).map_or(0, |index| index + 1);
        let done = if is_kept { stored() } else { own.len() };
        for change in own.iter().take(done).filter_map(|sequence| self.outbox.remove(*sequence)).collect::<Vec<_>>() {
            let before = self.base.get(key);
            if let Some(reason) = &answer {
                if change.group.is_none() && !change.is_included_in(before) {
                    (changed.is_correction, changed.reason) = (true, reason.clone());
                }
                continue;
            }
            let item = change.applied(before);
            let makes_room = item.is_none() && before.is_some();
            self.base.set(key, item);
            if makes_room {
                self.release();
            }
        }
        if done < own.len() {
            changed.reason = answer.flatten();
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
        let before = self.base.get(key).cloned();
        let item = self.outbox.of(key).fold(before, |item, (_, change)| change.applied(item.as_ref()));
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
