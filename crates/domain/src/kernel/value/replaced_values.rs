//! The values that an API key or a secret had before it was rotated, and that work for a grace period.

use std::fmt;

use crate::kernel::Time;

/// Which value of a key or secret a caller presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PresentedValue {
    /// The current value.
    Current,
    /// The previous value, within its grace period.
    Previous,
    /// The value before the previous one, within its grace period.
    Earlier,
}

/// A value that was replaced.
#[derive(Clone, PartialEq, Eq)]
pub struct ReplacedValue<V> {
    /// What is stored of it: its digest, or the encrypted value.
    pub stored: V,
    /// When it stops working.
    pub expires_at: Time,
    /// When it was last used, with a precision of one minute. `None` if it was not, or is used only by this service.
    pub last_used: Option<Time>,
}

/// The values before the current one: at most the two newest that still work, so that a second rotation does not end what
/// the first one promised. One that no longer works may be among them until the next rotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedValues<V> {
    /// The newest.
    pub previous: Option<ReplacedValue<V>>,
    /// The one before it.
    pub earlier: Option<ReplacedValue<V>>,
    /// The last use of a value that no longer works.
    pub used_before: Option<Time>,
}

impl<V> ReplacedValues<V> {
    /// Returns what a new key or secret has.
    pub const fn none() -> Self {
        Self { previous: None, earlier: None, used_before: None }
    }

    /// Returns stored values. Without a previous value, an earlier version of the service has ended all of them: it does not
    /// know the one before it.
    pub fn stored(
        previous: Option<ReplacedValue<V>>,
        earlier: Option<ReplacedValue<V>>,
        used_before: Option<Time>,
    ) -> Self {
        let earlier = earlier.filter(|_| previous.is_some());
        Self { previous, earlier, used_before }
    }

    /// Returns the values after another rotation. The others keep the time until which they work, but if the replaced value
    /// stops working at once, all of them do: that is how a leak is stopped.
    pub fn after_rotation(self, replaced: ReplacedValue<V>, now: Time) -> Self {
        let used_before = self.last_used().max(replaced.last_used);
        if replaced.expires_at <= now {
            return Self { used_before, ..Self::none() };
        }
        Self { previous: Some(replaced), earlier: self.as_of(now).previous, used_before }
    }

    /// Returns what remains when none of them works any more.
    pub fn revoked(&self) -> Self {
        Self { used_before: self.last_used(), ..Self::none() }
    }

    /// Returns the values that work at `now`.
    pub fn as_of(self, now: Time) -> Self {
        let used_before = self.last_used();
        let mut working = [self.previous, self.earlier].into_iter().flatten().filter(|value| value.expires_at > now);
        Self { previous: working.next(), earlier: working.next(), used_before }
    }

    /// Returns the values, newest first.
    pub fn iter(&self) -> impl Iterator<Item = (PresentedValue, &ReplacedValue<V>)> {
        let named = [(PresentedValue::Previous, &self.previous), (PresentedValue::Earlier, &self.earlier)];
        named.into_iter().filter_map(|(which, value)| Some((which, value.as_ref()?)))
    }

    /// Returns a replaced value; `None` for the current one.
    pub fn get(&self, which: PresentedValue) -> Option<&ReplacedValue<V>> {
        self.iter().find(|(one, _)| *one == which).map(|(_, value)| value)
    }

    /// Returns which value is stored as this.
    pub fn find(&self, is_it: impl Fn(&V) -> bool) -> Option<PresentedValue> {
        self.iter().find(|(_, value)| is_it(&value.stored)).map(|(which, _)| which)
    }

    /// Returns whether a replaced value works at `now`.
    pub fn works(&self, which: PresentedValue, now: Time) -> bool {
        self.get(which).is_some_and(|value| value.expires_at > now)
    }

    /// Returns when one of them was last used.
    pub fn last_used(&self) -> Option<Time> {
        self.iter().filter_map(|(_, value)| value.last_used).max().max(self.used_before)
    }
}

impl<V> fmt::Debug for ReplacedValue<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplacedValue").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::mocks::instant;

    fn at(minutes: i64) -> Time {
        instant() + TimeDelta::minutes(minutes)
    }

    /// A value that works until a minute.
    fn until(stored: char, minute: i64) -> ReplacedValue<char> {
        ReplacedValue { stored, expires_at: at(minute), last_used: None }
    }

    fn stored(values: &ReplacedValues<char>) -> [Option<char>; 2] {
        [&values.previous, &values.earlier].map(|value| value.as_ref().map(|value| value.stored))
    }

    #[test]
    fn a_value_that_an_earlier_version_did_not_know_ends_with_the_others() {
        let values = ReplacedValues::stored(None, Some(until('a', 60)), None);
        assert_eq!(stored(&values), [None, None]);
        let values = ReplacedValues::stored(Some(until('b', 10)), Some(until('a', 60)), None);
        assert_eq!(stored(&values), [Some('b'), Some('a')]);
    }

    #[test]
    fn another_rotation_keeps_the_time_that_the_first_one_promised() {
        let first = ReplacedValues::none().after_rotation(until('a', 60), at(0));
        let second = first.after_rotation(until('b', 10), at(5));
        assert_eq!(stored(&second), [Some('b'), Some('a')]);
        assert_eq!(second.get(PresentedValue::Earlier).map(|value| value.expires_at), Some(at(60)));
        assert!(second.works(PresentedValue::Earlier, at(59)) && !second.works(PresentedValue::Earlier, at(60)));
        assert!(!second.works(PresentedValue::Current, at(0)), "It was not replaced.");
        assert_eq!(second.find(|one| *one == 'a'), Some(PresentedValue::Earlier));

        let third = second.clone().after_rotation(until('c', 70), at(6));
        assert_eq!(stored(&third), [Some('c'), Some('b')], "Only the two newest work.");
        let late = second.clone().after_rotation(until('c', 70), at(20));
        assert_eq!(stored(&late), [Some('c'), Some('a')], "One that no longer works takes no place.");
        assert_eq!(stored(&second.clone().as_of(at(20))), [Some('a'), None]);
        assert_eq!(stored(&second.after_rotation(until('c', 6), at(6))), [None, None]);
    }

    #[test]
    fn the_last_use_of_a_value_remains_known_when_it_no_longer_works() {
        let used =
            |stored, minute, last_used| ReplacedValue { last_used: Some(at(last_used)), ..until(stored, minute) };
        let first = ReplacedValues::none().after_rotation(used('a', 60, 3), at(5));
        assert_eq!((first.last_used(), first.clone().as_of(at(60)).last_used()), (Some(at(3)), Some(at(3))));
        let second = first.after_rotation(used('b', 60, 2), at(6));
        assert_eq!(second.last_used(), Some(at(3)));
        let revoked = second.revoked();
        let ended = second.after_rotation(until('c', 7), at(7));
        assert_eq!(revoked, ended);
        assert_eq!((stored(&ended), ended.last_used()), ([None, None], Some(at(3))));
        let unused = ReplacedValues::none().after_rotation(until('a', 9), at(0));
        assert_eq!(unused.last_used(), None);
    }
}
