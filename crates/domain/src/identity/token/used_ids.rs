//! IDs of signed messages that were used, so that each is accepted once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use lru::LruCache;

use crate::kernel::{Time, lock};

/// Maximum number of IDs. Beyond it, the oldest ones are forgotten.
const MAX_REMEMBERED: usize = 100_000;
/// The same for messages of strangers.
const MAX_OF_STRANGERS: usize = 10_000;

/// Who sent a message. Those of strangers are remembered apart, so that they make this process forget no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    /// Someone with a valid grant or token, or a client that a member of the team registered.
    Known,
    /// Anyone.
    Stranger,
}

/// The IDs of messages that this process accepted and that have not expired.
pub(crate) struct UsedIds {
    known: Memory,
    strangers: Memory,
}

impl Default for UsedIds {
    fn default() -> Self {
        Self { known: Memory::of(MAX_REMEMBERED), strangers: Memory::of(MAX_OF_STRANGERS) }
    }
}

impl UsedIds {
    /// Remembers an ID until its message expires. Returns whether it had not been used before.
    pub(crate) fn use_once(&self, sender: Sender, id: String, expires_at: Time, now: Time) -> bool {
        self.memory(sender).use_once(id, expires_at, now)
    }

    /// Returns whether an ID was used by a message that has not expired.
    pub(crate) fn contain(&self, sender: Sender, id: &str, now: Time) -> bool {
        is_used(&lock(&self.memory(sender).used), id, now)
    }

    fn memory(&self, sender: Sender) -> &Memory {
        match sender {
            Sender::Known => &self.known,
            Sender::Stranger => &self.strangers,
        }
    }
}

/// A limited number of IDs.
struct Memory {
    /// When the message with each ID expires. In the order in which they were used.
    used: Mutex<LruCache<String, Time>>,
    max: usize,
}

impl Memory {
    fn of(max: usize) -> Self {
        Self { used: Mutex::new(LruCache::unbounded()), max }
    }

    fn use_once(&self, id: String, expires_at: Time, now: Time) -> bool {
        let mut used = lock(&self.used);
        if is_used(&used, &id, now) {
            return false;
        }
        // Removes more than it adds, as long as there are expired ones at the end.
        for _ in 0..2 {
            if used.len() >= self.max || used.peek_lru().is_some_and(|(_, expires_at)| *expires_at < now) {
                used.pop_lru();
            }
        }
        used.put(id, expires_at);
        true
    }
}

fn is_used(used: &LruCache<String, Time>, id: &str, now: Time) -> bool {
    used.peek(id).is_some_and(|expires_at| now <= *expires_at)
}

/// Whether the request that presents a message has used its ID already. A request may check the message several times.
#[derive(Debug, Clone, Default)]
pub(crate) struct UsedByRequest(Arc<AtomicBool>);

impl UsedByRequest {
    /// Returns whether the request has used it.
    pub(crate) fn has_used(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Runs `use_once` unless it returned true before.
    pub(crate) fn or_use(&self, use_once: impl FnOnce() -> bool) -> bool {
        if self.has_used() {
            return true;
        }
        let is_first = use_once();
        self.0.fetch_or(is_first, Ordering::AcqRel);
        is_first
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::mocks::instant;

    #[test]
    fn an_id_is_used_once_until_its_message_expires() {
        let (used, later) = (UsedIds::default(), |seconds| instant() + TimeDelta::seconds(seconds));
        let try_at = |seconds| used.use_once(Sender::Known, "a".into(), later(60), later(seconds));
        assert!(!used.contain(Sender::Known, "a", instant()));
        assert_eq!([0, 0, 60, 61].map(try_at), [true, false, false, true]);
        assert!(used.contain(Sender::Known, "a", later(60)) && !used.contain(Sender::Known, "a", later(61)));
        let request = UsedByRequest::default();
        assert!(!request.or_use(|| false) && request.or_use(|| true) && request.or_use(|| false));
    }

    #[test]
    fn expired_ids_and_the_oldest_ones_are_forgotten() {
        let used = Memory::of(3);
        let expires_at = instant() + TimeDelta::seconds(60);
        let use_once = |id: &str, now| used.use_once(id.into(), expires_at, now);
        assert!(["a", "b", "c", "d"].iter().all(|id| use_once(id, instant())));
        assert_eq!(lock(&used.used).len(), 3);
        assert!(!use_once("d", instant()) && use_once("a", instant()));
        let late = expires_at + TimeDelta::seconds(1);
        assert!(use_once("e", late) && use_once("f", late));
        assert_eq!(lock(&used.used).len(), 1, "The others have expired.");
    }

    #[test]
    fn messages_of_strangers_do_not_make_a_process_forget_others() {
        let used = UsedIds { known: Memory::of(1), strangers: Memory::of(1) };
        let use_once = |sender, id: &str| used.use_once(sender, id.into(), instant(), instant());
        assert!(use_once(Sender::Known, "a") && use_once(Sender::Stranger, "b") && use_once(Sender::Stranger, "c"));
        assert!(!use_once(Sender::Known, "a") && use_once(Sender::Stranger, "b"));
    }
}
