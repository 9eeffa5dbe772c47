//! Points in time as pages show them.

use steward_domain::model::Time;

/// Returns the date and the time of day.
pub(crate) fn date_time(time: Time) -> String {
    time.format("%-d %B %Y, %H:%M UTC").to_string()
}
