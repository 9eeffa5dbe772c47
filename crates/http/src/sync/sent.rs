//! The items that a connection sent to its device lately. A change that the device made before it received such an item
//! is overwritten on the device, so the stored result has to be sent to it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use steward_domain::data::SyncKey;

/// How long a device may take to receive an item.
const TRANSIT: Duration = Duration::from_secs(10);
/// Maximum number of items that are remembered one by one.
const MAX_KEYS: usize = 1_000;
/// Longer keys, in bytes, are not remembered: no item can have one, so no change to it is stored.
const MAX_KEY_BYTES: usize = 1_024;

/// Items that were sent lately, each with its revision.
#[derive(Debug, Default)]
pub(super) struct SentItems {
    keys: HashMap<SyncKey, (i64, Instant)>,
    /// The revision and the time of more items than are remembered one by one.
    all: Option<(i64, Instant)>,
}

impl SentItems {
    /// Remembers that an item was sent in a message with this revision.
    pub(super) fn add(&mut self, key: &SyncKey, revision: i64, now: Instant) {
        if key.table.len().saturating_add(key.id.len()) > MAX_KEY_BYTES {
            return;
        }
        if self.keys.len() >= MAX_KEYS && !self.keys.contains_key(key) {
            let newest = self.keys.drain().map(|(_, (revision, _))| revision).max();
            self.add_all(newest.map_or(revision, |newest| newest.max(revision)), now);
        }
        self.keys.insert(key.clone(), (revision, now));
    }

    /// Remembers that many items were sent, the last of them in a message with this revision. The device applies all of
    /// them when it receives that message.
    pub(super) fn add_all(&mut self, revision: i64, now: Instant) {
        let newest = self.all.map_or(revision, |(newest, _)| newest.max(revision));
        self.all = Some((newest, now));
    }

    /// Returns whether a device that had all changes up to `base` may have changed one of these items before it
    /// received it.
    pub(super) fn crosses<'a>(
        &self,
        mut keys: impl Iterator<Item = &'a SyncKey>,
        base: Option<i64>,
        now: Instant,
    ) -> bool {
        let is_unseen = |(revision, at): (i64, Instant)| {
            base.is_none_or(|base| base < revision) && now.duration_since(at) < TRANSIT
        };
        self.all.is_some_and(is_unseen) || keys.any(|key| self.keys.get(key).copied().is_some_and(is_unseen))
    }

    /// Forgets items that the device has received by now.
    pub(super) fn forget_old(&mut self, now: Instant) {
        let is_recent = |at: Instant| now.duration_since(at) < TRANSIT;
        self.keys.retain(|_, (_, at)| is_recent(*at));
        self.keys.shrink_to_fit();
        self.all = self.all.filter(|(_, at)| is_recent(*at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> SyncKey {
        SyncKey { table: "notes".into(), id: number.to_string() }
    }

    #[test]
    fn a_change_crosses_an_item_that_was_sent_lately_unless_the_device_had_it() {
        let (mut sent, now) = (SentItems::default(), Instant::now());
        sent.add(&key(1), 8, now);
        let crosses = |sent: &SentItems, number, base, now| sent.crosses([key(number)].iter(), base, now);
        assert!(crosses(&sent, 1, Some(7), now) && crosses(&sent, 1, None, now));
        assert!(!crosses(&sent, 1, Some(8), now) && !crosses(&sent, 2, None, now));
        assert!(!crosses(&sent, 1, None, now + TRANSIT));
        sent.forget_old(now + TRANSIT);
        assert!(sent.keys.is_empty());
    }

    #[test]
    fn keys_that_no_item_can_have_are_not_remembered() {
        let mut sent = SentItems::default();
        sent.add(&SyncKey { table: "notes".into(), id: "x".repeat(MAX_KEY_BYTES) }, 8, Instant::now());
        assert!(sent.keys.is_empty());
    }

    #[test]
    fn a_load_does_not_forget_a_correction_that_no_revision_shows() {
        let (mut sent, now) = (SentItems::default(), Instant::now());
        sent.add(&key(1), i64::MAX, now);
        sent.add_all(8, now);
        let crosses = |sent: &SentItems, number| sent.crosses([key(number)].iter(), Some(8), now);
        assert!(crosses(&sent, 1) && !crosses(&sent, 2));
        (2..=MAX_KEYS + 1).for_each(|number| sent.add(&key(number), 8, now));
        assert!(crosses(&sent, 1));
        sent.forget_old(now + TRANSIT);
        assert!(!crosses(&sent, 1));
    }

    #[test]
    fn many_items_are_remembered_together() {
        let (mut sent, now) = (SentItems::default(), Instant::now());
        (0..=MAX_KEYS).for_each(|number| sent.add(&key(number), 8, now));
        assert!(sent.keys.len() < MAX_KEYS && sent.crosses([key(0)].iter(), Some(7), now));
        assert!(!sent.crosses([key(0)].iter(), Some(8), now));
    }
}
