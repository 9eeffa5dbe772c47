//! Timestamps with the precision of tokens.

use chrono::{DurationRound as _, TimeDelta};

use crate::kernel::Time;

/// Truncates a timestamp to whole seconds, the precision of tokens.
pub(crate) fn to_the_second(time: Time) -> Time {
    time.duration_trunc(TimeDelta::seconds(1)).unwrap_or(time)
}
