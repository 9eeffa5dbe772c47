//! The changes of this device that the service has not acknowledged, in their order.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem;

use super::change::{Change, Key, LiveReason};

/// Maximum number of changes and bytes of a portion, which the service stores in one transaction.
const MAX_PORTION: usize = 500;
const MAX_PORTION_BYTES: usize = 256 * 1024;

#[derive(Default)]
pub(super) struct Outbox {
    pub(super) changes: BTreeMap<u64, Change>,
    pub(super) by_key: HashMap<Key, BTreeSet<u64>>,
    /// Items of which changes are kept until there is room for them.
    pub(super) over_quota: BTreeMap<Key, LiveReason>,
    /// These, and those of changes that belong together with others that wait. Later changes of them wait, too.
    pub(super) held: BTreeMap<Key, LiveReason>,
    /// Numbers of the changes that wait.
    waiting: BTreeSet<u64>,
}

impl Outbox {
    /// Returns the changes of an item.
    pub(super) fn of(&self, key: &Key) -> impl Iterator<Item = (&u64, &Change)> {
        self.by_key.get(key).into_iter().flatten().filter_map(|sequence| self.changes.get_key_value(sequence))
    }

    pub(super) fn push(&mut self, sequence: u64, change: Change) {
        self.by_key.entry(change.key.clone()).or_default().insert(sequence);
        self.changes.insert(sequence, change);
    }

    pub(super) fn remove(&mut self, sequence: u64) -> Option<Change> {
        let change = self.changes.remove(&sequence)?;
        let others = self.by_key.get_mut(&change.key)?;
        others.remove(&sequence);
        if others.is_empty() {
            self.by_key.remove(&change.key);
        }
        Some(change)
    }

    /// Returns the reason if all changes wait for room.
    pub(super) fn waits(&self) -> Option<&LiveReason> {
        self.held.values().next().filter(|_| self.waiting.len() == self.changes.len())
    }

    /// Determines which changes wait for room.
    pub(super) fn hold(&mut self) {
        (self.held, self.waiting) = (self.over_quota.clone(), BTreeSet::new());
        self.wait(0);
    }

    /// From a number on, a change, or several that belong together, waits if an earlier one of their items does.
    pub(super) fn wait(&mut self, first: u64) {
        let mut held = mem::take(&mut self.held);
        let all: Vec<(&u64, &Change)> = self.changes.range(first..).take_while(|_| !held.is_empty()).collect();
        for together in all.chunk_by(|(_, a), (_, b)| a.group.is_some() && a.group == b.group) {
            let reason = together.iter().find_map(|(_, change)| held.get(&change.key)).cloned();
            let Some(reason) = reason else { continue };
            for (sequence, change) in together {
                held.entry(change.key.clone()).or_insert_with(|| reason.clone());
                self.waiting.insert(**sequence);
            }
        }
        self.held = held;
    }

    /// Returns the changes of an item that wait, and have no effect after a change of all of it. They no longer wait.
    pub(super) fn replaced(&mut self, key: &Key) -> Vec<u64> {
        self.over_quota.remove(key);
        self.of(key).filter(|(_, change)| change.group.is_none()).map(|(sequence, _)| *sequence).collect()
    }

    /// Returns the changes of an item that wait, with what belongs together with them. They no longer wait.
    pub(super) fn given_up(&mut self, key: &Key) -> Vec<u64> {
        self.over_quota.remove(key);
        let own: Vec<_> = self.of(key).filter(|(sequence, _)| self.waiting.contains(sequence)).collect();
        let groups: Vec<_> = own.iter().filter_map(|(_, change)| change.group.as_ref()).collect();
        let others =
            self.changes.iter().filter(|(_, change)| change.group.as_ref().is_some_and(|it| groups.contains(&it)));
        own.iter().copied().chain(others).map(|(sequence, _)| *sequence).collect()
    }

    /// Returns the changes to send next: several, or those that belong together.
    pub(super) fn next(&self) -> Vec<u64> {
        let (mut size, mut found, mut group) = (0_usize, Vec::new(), &None);
        for (sequence, change) in self.changes.iter().filter(|(sequence, _)| !self.waiting.contains(sequence)) {
            size = size.saturating_add(serde_json::to_vec(change).map_or(0, |text| text.len()));
            let is_full = group.is_none() && (size > MAX_PORTION_BYTES || found.len() == MAX_PORTION);
            if !found.is_empty() && (is_full || change.group != *group) {
                break;
            }
            group = &change.group;
            found.push(*sequence);
        }
        found
    }
}
