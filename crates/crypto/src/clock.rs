//! The wall clock and time-ordered IDs.

use chrono::{DateTime, Utc};
use steward_domain::kernel::{Clock, IdGenerator, Time};
use uuid::Uuid;

/// The system clock, truncated to microseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this implements the port for the wall clock")]
    fn now(&self) -> Time {
        let now = Utc::now();
        DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
    }
}

/// UUIDs of version 7 (RFC 9562 §5.7). Within a process, each is greater than the previous one.
#[derive(Debug, Clone, Copy, Default)]
pub struct UuidV7Ids;

impl IdGenerator for UuidV7Ids {
    #[expect(clippy::disallowed_methods, reason = "this implements the port for new IDs")]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_has_whole_microseconds_and_ids_increase() {
        assert_eq!(SystemClock.now().timestamp_subsec_nanos() % 1_000, 0);
        let ids: Vec<Uuid> = (0..1_000).map(|_| UuidV7Ids.next()).collect();
        assert!(ids.is_sorted() && ids[0].get_version_num() == 7);
    }
}
