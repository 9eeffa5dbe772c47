//! A chart with a bar for each day, and the numbers that it shows.

use steward_domain::administration::Day;

use super::number::count;

/// Size of the chart, in its own units. The template draws the axis at the bottom.
const WIDTH: u64 = 720;
const HEIGHT: u64 = 160;

/// A number for each day of a period. Its template is the macro in `bar_chart.html`.
pub(crate) struct BarChart {
    /// ID of the chart, unique in the page.
    pub(crate) id: &'static str,
    /// What the bars show, such as `Active users`.
    pub(crate) label: &'static str,
    /// The highest number.
    pub(crate) highest: u64,
    /// The number at the top of the axis.
    pub(crate) top: u64,
    /// The width of a day.
    pub(crate) slot: u64,
    pub(crate) bars: Vec<Bar>,
}

/// One day.
pub(crate) struct Bar {
    pub(crate) day: String,
    pub(crate) number: u64,
    pub(crate) x: u64,
    pub(crate) y: u64,
    pub(crate) width: u64,
    pub(crate) height: u64,
}

impl BarChart {
    pub(crate) fn of(id: &'static str, label: &'static str, series: &[(Day, u64)]) -> Self {
        let highest = series.iter().map(|(_, number)| *number).max().unwrap_or_default();
        let top = end_of_axis(highest);
        let days = u64::try_from(series.len()).unwrap_or(1).max(1);
        let slot = WIDTH / days;
        let bar = |(index, (day, number)): (u64, &(Day, u64))| {
            // A day with any number but 0 is visible.
            let height = match number.saturating_mul(HEIGHT).checked_div(top) {
                Some(height) if *number > 0 => height.max(2),
                _ => 0,
            };
            let (x, width) = (index.saturating_mul(slot), slot.saturating_sub(2).max(1));
            Bar { day: day.to_string(), number: *number, x, y: HEIGHT.saturating_sub(height), width, height }
        };
        Self { id, label, highest, top, slot, bars: (0..).zip(series).map(bar).collect() }
    }

    /// Returns the first and the last day.
    pub(crate) fn period(&self) -> Option<(&str, &str)> {
        Some((self.bars.first()?.day.as_str(), self.bars.last()?.day.as_str()))
    }

    /// Returns the number of the day before the last one, as text.
    pub(crate) fn yesterday(&self) -> String {
        let before = self.bars.iter().rev().nth(1).map_or(0, |bar| bar.number);
        format!("Yesterday: {}", count(before))
    }

    /// Returns how much more the second half of the period has than the first, as text; empty if the first has nothing.
    pub(crate) fn change(&self) -> String {
        let mut halves = self.bars.rchunks((self.bars.len() / 2).max(1));
        let mut sum = || {
            let half = halves.next().unwrap_or_default();
            half.iter().fold(0_i64, |sum, bar| sum.saturating_add_unsigned(bar.number))
        };
        let (second, first) = (sum(), sum());
        let percent = second.saturating_sub(first).saturating_mul(100).checked_div(first);
        percent.map_or_else(String::new, |percent| format!("{percent:+}% in the second half"))
    }
}

/// Returns the end of an axis for these numbers: the next one of 2, 4, 10, 20, 40, 100 and so on, whose half is whole.
fn end_of_axis(highest: u64) -> u64 {
    let mut ends = (0..19).flat_map(|power| [2, 4, 10].map(|step| 10_u64.saturating_pow(power).saturating_mul(step)));
    ends.find(|end| *end >= highest).unwrap_or(highest)
}

#[cfg(test)]
mod tests {
    use steward_domain::kernel::Time;

    use super::*;

    fn chart(numbers: &[u64]) -> BarChart {
        let day = Time::from_timestamp_micros(0).unwrap().date_naive();
        let series: Vec<_> = numbers.iter().map(|number| (day, *number)).collect();
        BarChart::of("users", "Active users", &series)
    }

    #[test]
    fn the_bar_of_the_highest_day_fills_the_chart_and_every_day_above_zero_is_visible() {
        let chart = chart(&[0, 1, 1_000]);
        let bars: Vec<_> = chart.bars.iter().map(|bar| (bar.x, bar.y, bar.width, bar.height)).collect();
        assert_eq!(bars, [(0, 160, 238, 0), (240, 158, 238, 2), (480, 0, 238, 160)]);
        assert_eq!((chart.highest, chart.period()), (1_000, Some(("1970-01-01", "1970-01-01"))));
    }

    #[test]
    fn an_axis_ends_at_a_round_number() {
        for (highest, end) in [(0, 2), (1, 2), (3, 4), (5, 10), (18, 20), (351, 400), (1_001, 2_000)] {
            assert_eq!(chart(&[highest]).top, end);
        }
    }

    #[test]
    fn changes_compare_days_and_halves_of_the_period() {
        let changes = |numbers: &[u64]| (chart(numbers).yesterday(), chart(numbers).change());
        let expected = |day: &str, half: &str| (format!("Yesterday: {day}"), half.to_owned());
        assert_eq!(changes(&[9, 1, 3, 2_000, 4_000]), expected("2,000", "+149900% in the second half"));
        assert_eq!(changes(&[4, 4, 2, 4]), expected("2", "-25% in the second half"));
        assert_eq!(changes(&[0, 0, 2, 4]), expected("2", ""));
        assert_eq!(changes(&[5]), expected("0", ""));
    }

    #[test]
    fn a_period_of_zeros_has_empty_bars() {
        assert!(chart(&[0]).bars.iter().all(|bar| bar.height == 0));
    }
}
