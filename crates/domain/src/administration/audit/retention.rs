//! How long events are retained.

use chrono::TimeDelta;

use crate::administration::RetentionCutoff;
use crate::kernel::Time;

/// Retention period of events. `None` retains them forever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditRetention {
    /// Retention period of all events.
    pub events: Option<TimeDelta>,
    /// Retention period of item changes, if shorter.
    pub item_changes: Option<TimeDelta>,
}

impl AuditRetention {
    /// The time before which events may be deleted.
    pub(super) fn retention_cutoff(self, now: Time) -> RetentionCutoff {
        let cutoff = |period: TimeDelta| now - period;
        let item_changes = [self.events, self.item_changes].into_iter().flatten().min();
        RetentionCutoff { events: self.events.map(cutoff), item_changes: item_changes.map(cutoff) }
    }
}
