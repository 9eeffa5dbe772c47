//! The changes that a device made itself, by the positions of their commits. It is not sent them again, unless items
//! that it receives have overwritten them.

use std::collections::VecDeque;

/// Maximum number of messages whose changes are recognized as those of the device itself.
const MAX_OWN: usize = 1_000;

/// First and last position of the commits of a connection that its device has not received as part of a revision.
#[derive(Debug, Default)]
pub(super) struct OwnChanges(VecDeque<(i64, i64)>);

impl OwnChanges {
    /// Adds the changes of a message. The oldest ones may be forgotten: the device gets them as if others had made them.
    pub(super) fn add(&mut self, positions: (i64, i64)) {
        self.0.push_back(positions);
        if self.0.len() > MAX_OWN {
            self.0.pop_front();
        }
    }

    pub(super) fn contains(&self, position: i64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&position))
    }

    /// Forgets the changes that are part of a revision, which the device has received.
    pub(super) fn reach(&mut self, revision: i64) {
        self.0.retain(|(_, last)| *last > revision);
    }

    /// Forgets the changes after a revision whose items the device receives now. The items were read before these
    /// changes were stored, and overwrite them on the device, so that the device has to get their results.
    pub(super) fn overwrite_after(&mut self, revision: i64) {
        self.0.retain(|(first, _)| *first <= revision);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_own_until_the_device_has_their_revision() {
        let mut own = OwnChanges::default();
        own.add((3, 5));
        own.add((9, 9));
        assert_eq!([2, 3, 5, 6, 9].map(|position| own.contains(position)), [false, true, true, false, true]);
        own.reach(5);
        assert_eq!([3, 9].map(|position| own.contains(position)), [false, true]);
    }

    #[test]
    fn a_change_that_was_stored_after_received_items_were_read_is_sent_back() {
        let mut own = OwnChanges::default();
        own.add((3, 5));
        own.add((9, 9));
        own.overwrite_after(5);
        assert_eq!([3, 9].map(|position| own.contains(position)), [true, false]);
    }

    #[test]
    fn the_oldest_of_too_many_changes_are_forgotten() {
        let mut own = OwnChanges::default();
        (0..=1_000).for_each(|position| own.add((position, position)));
        assert_eq!([0, 1, 1_000].map(|position| own.contains(position)), [false, true, true]);
    }
}
