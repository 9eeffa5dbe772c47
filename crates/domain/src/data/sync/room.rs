//! How many items, and how many bytes, the changes of a message may add to a project.

use super::reason::SyncReason;
use crate::administration::ProjectUsage;
use crate::data::ItemValue;
use crate::kernel::error::Conflict;
use crate::kernel::policy::{Quota, Quotas};

/// What an item, or its absence, counts against the quotas of its project.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    items: i64,
    bytes: i64,
}

impl Size {
    /// Returns the size of an item with this value. Without an item, it is [`Size::default`].
    pub fn of(value: &ItemValue) -> Self {
        Self { items: 1, bytes: i64::try_from(value.as_str().len()).unwrap_or(i64::MAX) }
    }
}

/// What the quotas of a project leave for the changes of a message.
#[derive(Debug, Clone)]
pub(super) struct Room {
    items: Left,
    bytes: Left,
}

#[derive(Debug, Clone)]
struct Left {
    /// Negative if the project exceeds the quota, which may have been lowered.
    amount: i64,
    /// The reason for a change that needs more.
    reason: SyncReason,
}

impl Room {
    /// Returns what a project with this usage may add.
    pub fn of(quotas: &Quotas, usage: &ProjectUsage) -> Self {
        let left = |quota, used: u64| {
            let limit = quotas.limit(quota);
            let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
            let reason = SyncReason::of(&Conflict::QuotaExceeded { quota, limit }.into());
            Left { amount: signed(limit).saturating_sub(signed(used)), reason }
        };
        Self { items: left(Quota::ItemsPerProject, usage.items), bytes: left(Quota::BytesPerProject, usage.bytes) }
    }

    /// Returns the room for changes that add nothing.
    pub fn closed(mut self) -> Self {
        for left in [&mut self.items, &mut self.bytes] {
            left.amount = left.amount.min(0);
        }
        self
    }

    /// Takes what an item needs more than before, or gives back what it needs less. A change that does not fit takes
    /// nothing.
    pub fn resize(&mut self, before: Size, after: Size) -> Result<(), SyncReason> {
        let parts = [
            (&mut self.items, after.items.saturating_sub(before.items)),
            (&mut self.bytes, after.bytes.saturating_sub(before.bytes)),
        ];
        if let Some((left, _)) = parts.iter().find(|(left, added)| *added > 0 && *added > left.amount) {
            return Err(left.reason.clone());
        }
        for (left, added) in parts {
            left.amount = left.amount.saturating_sub(added);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(items: u64, bytes: u64) -> Room {
        let quotas = Quotas::default().with(Quota::ItemsPerProject, 10).with(Quota::BytesPerProject, 100);
        Room::of(&quotas, &ProjectUsage { items, bytes, ..ProjectUsage::default() })
    }

    fn size(bytes: i64) -> Size {
        Size { items: 1, bytes }
    }

    fn message(result: Result<(), SyncReason>) -> String {
        result.unwrap_err().message.to_string()
    }

    #[test]
    fn a_change_that_does_not_fit_takes_nothing_and_one_that_frees_space_always_fits() {
        let mut room = room(8, 50);
        assert!(message(room.resize(Size::default(), size(51))).contains("100 bytes"));
        assert_eq!(room.resize(Size::default(), size(40)), Ok(()));
        assert_eq!(room.resize(size(40), size(50)), Ok(()));
        assert!(message(room.resize(size(50), size(51))).contains("100 bytes"));
        assert_eq!(room.resize(size(50), size(10)), Ok(()));
        assert_eq!(room.resize(Size::default(), size(1)), Ok(()));
        assert!(message(room.resize(Size::default(), size(1))).contains("10 items"));
        assert_eq!(room.resize(size(1), Size::default()), Ok(()));
        assert_eq!(room.resize(Size::default(), size(1)), Ok(()));
    }

    #[test]
    fn a_project_beyond_its_quota_and_a_closed_room_accept_what_adds_nothing() {
        for mut room in [room(12, 120), room(1, 1).closed()] {
            assert!(room.resize(Size::default(), size(1)).is_err() && room.resize(size(1), size(2)).is_err());
            assert!(room.resize(size(2), size(2)).is_ok() && room.resize(size(2), Size::default()).is_ok());
        }
    }
}
