//! A chart with a bar for each day, and the numbers that it shows.

use steward_domain::administration::Day;

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
        let days = u64::try_from(series.len()).unwrap_or(1).max(1);
        let slot = WIDTH / days;
        let bar = |(index, (day, number)): (u64, &(Day, u64))| {
            // A day with any number but 0 is visible.
            let height = match number.saturating_mul(HEIGHT).checked_div(highest) {
                Some(height) if *number > 0 => height.max(2),
                _ => 0,
            };
            let (x, width) = (index.saturating_mul(slot), slot.saturating_sub(2).max(1));
            Bar { day: day.to_string(), number: *number, x, y: HEIGHT.saturating_sub(height), width, height }
        };
        Self { id, label, highest, bars: (0..).zip(series).map(bar).collect() }
    }

    /// Returns the first and the last day.
    pub(crate) fn period(&self) -> Option<(&str, &str)> {
        Some((self.bars.first()?.day.as_str(), self.bars.last()?.day.as_str()))
    }
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
    fn a_period_of_zeros_has_empty_bars() {
        assert!(chart(&[0]).bars.iter().all(|bar| bar.height == 0));
    }
}
