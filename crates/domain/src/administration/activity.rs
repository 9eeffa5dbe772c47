//! Activity: the days on which people used a project, and statistics derived from them
//! (docs/contract.md#user-statistics). Days are in UTC.

use chrono::Days;

use crate::kernel::{InvalidValue, ProjectId, Time};

/// A day in UTC.
pub type Day = chrono::NaiveDate;

/// The number of days covered by activity statistics: 1 to 365.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period(u16);

impl Period {
    /// The permitted numbers of days.
    pub const DAYS: std::ops::RangeInclusive<u16> = 1..=365;

    /// Parses a number of days.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        let days = text.parse().ok().filter(|days| digits && Self::DAYS.contains(days));
        days.map(Self).ok_or(InvalidValue("must be a number from 1 to 365"))
    }
}

impl Default for Period {
    fn default() -> Self {
        Self(30)
    }
}

/// The start dates of the time spans in which activity is counted. Every span includes today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivityWindow {
    /// The first day of the daily series.
    pub since: Day,
    /// The first day of the last 7 days.
    pub week: Day,
    /// The first day of the last 30 days.
    pub month: Day,
    /// The last day of every span.
    pub today: Day,
}

impl ActivityWindow {
    /// Returns the window of a period that ends at `now`.
    pub fn ending(now: Time, period: Period) -> Self {
        let today = now.date_naive();
        let since = |days: u16| today.checked_sub_days(Days::new(u64::from(days.saturating_sub(1)))).unwrap_or(today);
        Self { since: since(period.0), week: since(7), month: since(30), today }
    }

    /// Returns the number of each day of the period, oldest first: 0 for a day without one.
    fn series(&self, by_day: &[(Day, u64)]) -> Vec<(Day, u64)> {
        let days = self.since.iter_days().take_while(|day| *day <= self.today);
        days.map(|day| (day, on_day(by_day, day))).collect()
    }
}

fn on_day(by_day: &[(Day, u64)], day: Day) -> u64 {
    by_day.iter().find(|(other, _)| *other == day).map_or(0, |(_, number)| *number)
}

/// Counts of a project's users that a store returns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActivityCounts {
    /// Number of users.
    pub total: u64,
    /// Number of users active in the last 7 days.
    pub week: u64,
    /// Number of users active in the last 30 days.
    pub month: u64,
    /// Number of active users of each day. Days without active users may be missing.
    pub by_day: Vec<(Day, u64)>,
}

/// Usage statistics of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserStats {
    /// Number of users.
    pub total: u64,
    /// Number of users active today.
    pub daily: u64,
    /// Number of users active in the last 7 days.
    pub weekly: u64,
    /// Number of users active in the last 30 days.
    pub monthly: u64,
    /// Number of active users of each day of the period, oldest first.
    pub series: Vec<(Day, u64)>,
}

impl UserStats {
    /// Derives the statistics from the counts of a window. The series has an entry for each day.
    pub fn of(window: &ActivityWindow, counts: &ActivityCounts) -> Self {
        Self {
            total: counts.total,
            daily: on_day(&counts.by_day, window.today),
            weekly: counts.week,
            monthly: counts.month,
            series: window.series(&counts.by_day),
        }
    }
}

/// Requests to a project on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestCount {
    /// The project.
    pub project_id: ProjectId,
    /// The day.
    pub day: Day,
    /// Number of requests.
    pub requests: u64,
}

/// Number of requests to a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestStats {
    /// Number of requests of the period.
    pub total: u64,
    /// Number of requests of today.
    pub today: u64,
    /// Number of requests of each day of the period, oldest first.
    pub series: Vec<(Day, u64)>,
}

impl RequestStats {
    /// Derives the statistics from the numbers of some days of a window. The series has an entry for each day.
    pub fn of(window: &ActivityWindow, by_day: &[(Day, u64)]) -> Self {
        let series = window.series(by_day);
        let total = series.iter().fold(0, |total: u64, (_, requests)| total.saturating_add(*requests));
        Self { total, today: on_day(by_day, window.today), series }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::instant;

    #[test]
    fn each_day_of_the_period_has_an_entry() {
        let today = instant().date_naive();
        let before = |days| today.checked_sub_days(Days::new(days)).unwrap();
        for (text, first) in [("1", before(0)), ("3", before(2)), ("365", before(364))] {
            let window = ActivityWindow::ending(instant(), Period::parse(text).unwrap());
            let by_day = vec![(before(2), 5), (today, 2)];
            let stats = UserStats::of(&window, &ActivityCounts { total: 9, week: 6, month: 7, by_day });
            assert_eq!(stats.series.first().map(|entry| entry.0), Some(first));
            assert_eq!(stats.series.last(), Some(&(today, 2)));
            assert_eq!(stats.series.len().to_string(), text);
            assert_eq!((stats.total, stats.daily, stats.weekly, stats.monthly), (9, 2, 6, 7));
            let expected = if text == "1" { 2 } else { 7 };
            let sum: u64 = stats.series.iter().map(|entry| entry.1).sum();
            assert_eq!(sum, expected);
            let requests = RequestStats::of(&window, &[(before(2), 5), (today, 2)]);
            assert_eq!(requests, RequestStats { total: expected, today: 2, series: stats.series });
        }
        assert_eq!((before(6), before(29)), {
            let window = ActivityWindow::ending(instant(), Period::default());
            (window.week, window.month)
        });
        for invalid in ["", "0", "366", "-1", "+7", "1.5", "x"] {
            assert!(Period::parse(invalid).is_err(), "{invalid}");
        }
    }
}
