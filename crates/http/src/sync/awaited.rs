//! When the database is asked for announced changes again.

use std::time::Duration;

use steward_domain::data::SettledChanges;

/// Interval at which the database is polled for changes that are not announced.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Announced changes that may not be settled yet, because an older transaction has not ended.
#[derive(Default)]
pub(super) struct Awaited {
    /// Whether changes were announced since the last poll.
    is_announced: bool,
    /// The position up to which changes are announced.
    goal: Option<i64>,
    attempts: u32,
}

impl Awaited {
    pub(super) fn announce(&mut self) {
        self.is_announced = true;
        self.attempts = 0;
    }

    /// Notes the result of a poll.
    pub(super) fn found(&mut self, changes: &SettledChanges) {
        if std::mem::take(&mut self.is_announced) {
            self.goal = Some(changes.started);
        }
        self.goal = self.goal.filter(|goal| *goal > changes.through);
    }

    /// Returns after which time to poll again, or `None` if nothing is awaited.
    pub(super) fn retry(&mut self) -> Option<Duration> {
        // A poll that failed did not take note of the announcement.
        if !self.is_announced && self.goal.is_none() {
            return None;
        }
        let delay = Duration::from_millis(2 << self.attempts.min(6)).min(POLL_INTERVAL);
        self.attempts = self.attempts.saturating_add(1);
        Some(delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(through: i64, started: i64) -> SettledChanges {
        SettledChanges { through, started, ..SettledChanges::default() }
    }

    #[test]
    fn announced_changes_are_polled_until_they_are_settled() {
        let mut awaited = Awaited::default();
        awaited.found(&changes(5, 9));
        assert_eq!(awaited.retry(), None, "Nothing was announced.");

        awaited.announce();
        assert_eq!(awaited.retry(), Some(Duration::from_millis(2)), "The poll failed.");
        awaited.found(&changes(5, 9));
        assert_eq!(awaited.retry(), Some(Duration::from_millis(4)));
        // Changes that begin later need not be awaited.
        awaited.found(&changes(8, 20));
        let delays: Vec<_> = (0..9).filter_map(|_| awaited.retry()).collect();
        assert!(delays.is_sorted() && delays.len() == 9 && delays.last() == Some(&POLL_INTERVAL), "{delays:?}");
        awaited.found(&changes(9, 20));
        assert_eq!(awaited.retry(), None);
    }
}
