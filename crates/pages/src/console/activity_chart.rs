//! The chart of a project's active users, with the numbers that it shows.

use steward_domain::model::{Day, UserStats};

/// Size of the chart, in its own units. The template draws the axis at the bottom.
const WIDTH: u64 = 720;
const HEIGHT: u64 = 160;

/// The chart of the daily active users. Its template is `activity_chart.html`.
pub(super) struct ActivityChart {
    pub(super) users: u64,
    pub(super) daily: u64,
    pub(super) weekly: u64,
    pub(super) monthly: u64,
    /// The number of users of the highest bar.
    pub(super) highest: u64,
    pub(super) bars: Vec<Bar>,
}

/// One day.
pub(super) struct Bar {
    pub(super) day: String,
    pub(super) users: u64,
    pub(super) x: u64,
    pub(super) y: u64,
    pub(super) width: u64,
    pub(super) height: u64,
}

impl ActivityChart {
    pub(super) fn of(stats: &UserStats) -> Self {
        let highest = stats.series.iter().map(|(_, users)| *users).max().unwrap_or_default();
        let days = u64::try_from(stats.series.len()).unwrap_or(1).max(1);
        let slot = WIDTH / days;
        let bar = |(index, (day, users)): (u64, &(Day, u64))| {
            // A day with any users is visible.
            let height = match users.saturating_mul(HEIGHT).checked_div(highest) {
                Some(height) if *users > 0 => height.max(2),
                _ => 0,
            };
            let (x, width) = (index.saturating_mul(slot), slot.saturating_sub(2).max(1));
            Bar { day: day.to_string(), users: *users, x, y: HEIGHT.saturating_sub(height), width, height }
        };
        Self {
            users: stats.total,
            daily: stats.daily,
            weekly: stats.weekly,
            monthly: stats.monthly,
            highest,
            bars: (0..).zip(&stats.series).map(bar).collect(),
        }
    }

    /// Returns the first and the last day.
    pub(super) fn period(&self) -> Option<(&str, &str)> {
        Some((self.bars.first()?.day.as_str(), self.bars.last()?.day.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::model::Time;

    use super::*;

    #[test]
    fn the_bar_of_the_highest_day_fills_the_chart_and_every_active_day_is_visible() {
        let day = Time::from_timestamp_micros(0).unwrap().date_naive();
        let series = [0, 1, 1_000].map(|users| (day, users)).to_vec();
        let chart = ActivityChart::of(&UserStats { total: 1_000, daily: 1_000, weekly: 0, monthly: 0, series });
        let bars: Vec<_> = chart.bars.iter().map(|bar| (bar.x, bar.y, bar.width, bar.height)).collect();
        assert_eq!(bars, [(0, 160, 238, 0), (240, 158, 238, 2), (480, 0, 238, 160)]);
        assert_eq!((chart.highest, chart.period()), (1_000, Some(("1970-01-01", "1970-01-01"))));
    }

    #[test]
    fn a_project_without_active_users_has_empty_bars() {
        let day = Time::from_timestamp_micros(0).unwrap().date_naive();
        let stats = UserStats { total: 0, daily: 0, weekly: 0, monthly: 0, series: vec![(day, 0)] };
        assert!(ActivityChart::of(&stats).bars.iter().all(|bar| bar.height == 0));
    }
}
