//! A set that forgets what was added to it within a second.

use std::collections::HashSet;
use std::hash::Hash;
use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use steward_domain::kernel::{ProjectId, ProjectUserId};

/// How long a value is remembered at most, and at least half as long.
const LIFETIME: Duration = Duration::from_secs(1);
/// Maximum number of values in each half of the lifetime. Further ones are not remembered.
const MAX_VALUES: usize = 4_096;

/// Tables of users that had few items recently, so that lists of them need not count the items again. Within the lifetime a
/// table does not become so large that a scan of it delays others.
pub(crate) type SmallTables = RecentSet<(ProjectId, ProjectUserId, String)>;

/// Values that were added recently. Those of the half before the current one are forgotten together.
pub(crate) struct RecentSet<K>(Mutex<Halves<K>>);

struct Halves<K> {
    began: Instant,
    current: HashSet<K>,
    previous: HashSet<K>,
}

impl<K> Default for RecentSet<K> {
    fn default() -> Self {
        Self(Mutex::new(Halves { began: Instant::now(), current: HashSet::new(), previous: HashSet::new() }))
    }
}

impl<K: Eq + Hash> RecentSet<K> {
    pub(crate) fn contains(&self, value: &K) -> bool {
        self.contains_at(value, Instant::now())
    }

    /// Remembers a value, if there is room.
    pub(crate) fn add(&self, value: K) {
        self.add_at(value, Instant::now());
    }

    fn contains_at(&self, value: &K, now: Instant) -> bool {
        let mut halves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        halves.forget(now);
        halves.current.contains(value) || halves.previous.contains(value)
    }

    fn add_at(&self, value: K, now: Instant) {
        let mut halves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        halves.forget(now);
        if halves.current.len() < MAX_VALUES {
            halves.current.insert(value);
        }
    }
}

impl<K> Halves<K> {
    fn forget(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.began);
        if elapsed < LIFETIME / 2 {
            return;
        }
        self.previous = mem::take(&mut self.current);
        if elapsed >= LIFETIME {
            self.previous.clear();
        }
        self.began = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_forgotten_within_the_lifetime() {
        let (set, start) = (RecentSet::default(), Instant::now());
        let (half, millisecond) = (LIFETIME / 2, Duration::from_millis(1));
        set.add_at("notes", start);
        assert!(set.contains_at(&"notes", start) && !set.contains_at(&"tasks", start));
        assert!(set.contains_at(&"notes", start + half));
        assert!(!set.contains_at(&"notes", start + LIFETIME + millisecond));
        set.add_at("notes", start + LIFETIME + half);
        assert!(!set.contains_at(&"notes", start + 10 * LIFETIME));
    }

    #[test]
    fn the_number_of_values_is_limited() {
        let (set, now) = (RecentSet::default(), Instant::now());
        (0..=MAX_VALUES).for_each(|number| set.add_at(number, now));
        assert!(set.contains_at(&0, now) && !set.contains_at(&MAX_VALUES, now));
    }
}
