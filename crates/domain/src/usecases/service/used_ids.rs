//! IDs of signed messages that were used, so that each is accepted once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;

use crate::model::Time;

/// Maximum number of IDs. Beyond it, the oldest ones are forgotten.
const MAX_REMEMBERED: usize = 100_000;

/// The IDs of messages that this process accepted and that have not expired.
pub(in crate::usecases) struct UsedIds {
    /// When the message with each ID expires. In the order in which they were used.
    used: Mutex<LruCache<String, Time>>,
    max: usize,
}

impl Default for UsedIds {
    fn default() -> Self {
        Self { used: Mutex::new(LruCache::unbounded()), max: MAX_REMEMBERED }
    }
}

impl UsedIds {
    /// Remembers an ID until its message expires. Returns whether it had not been used before.
    pub(in crate::usecases) fn use_once(&self, id: String, expires_at: Time, now: Time) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.peek(&id).is_some_and(|expires_at| now <= *expires_at) {
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

/// Whether the request that presents a message has used its ID already. A request may check the message several times.
#[derive(Debug, Clone, Default)]
pub(in crate::usecases) struct UsedByRequest(Arc<AtomicBool>);

impl UsedByRequest {
    /// Runs `use_once` unless it returned true before.
    pub(in crate::usecases) fn or_use(&self, use_once: impl FnOnce() -> bool) -> bool {
        if self.0.load(Ordering::Acquire) {
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
        let try_at = |seconds| used.use_once("a".into(), later(60), later(seconds));
        assert_eq!([0, 0, 60, 61].map(try_at), [true, false, false, true]);
        let request = UsedByRequest::default();
        assert!(!request.or_use(|| false) && request.or_use(|| true) && request.or_use(|| false));
    }

    #[test]
    fn expired_ids_and_the_oldest_ones_are_forgotten() {
        let used = UsedIds { max: 3, ..UsedIds::default() };
        let expires_at = instant() + TimeDelta::seconds(60);
        let use_once = |id: &str, now| used.use_once(id.into(), expires_at, now);
        assert!(["a", "b", "c", "d"].iter().all(|id| use_once(id, instant())));
        assert_eq!(used.used.lock().unwrap().len(), 3);
        assert!(!use_once("d", instant()) && use_once("a", instant()));
        let late = expires_at + TimeDelta::seconds(1);
        assert!(use_once("e", late) && use_once("f", late));
        assert_eq!(used.used.lock().unwrap().len(), 1, "The others have expired.");
    }
}
