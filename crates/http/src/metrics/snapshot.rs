//! Converts the statistics that parts of the service collect to metric families, for one scrape.

use chrono::TimeDelta;
use prometheus::proto::MetricFamily;
use prometheus::{CounterVec, GaugeVec, Opts, Registry};

/// Metric families with their current values.
#[derive(Default)]
pub(super) struct Snapshot {
    registry: Registry,
}

/// The name of a metric, its description, and its value for a subject.
pub(super) type Metric<S> = (&'static str, &'static str, fn(&S) -> f64);

impl Snapshot {
    /// Adds a metric with the labels and the value of each time series. It is a counter if its name ends with `_total`,
    /// as that of every counter does, or else a gauge.
    pub(super) fn add<'a, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        labels: [&str; N],
        rows: impl IntoIterator<Item = ([&'a str; N], f64)>,
    ) -> Result<(), prometheus::Error> {
        let options = Opts::new(name, help);
        if name.ends_with("_total") {
            let family = CounterVec::new(options, &labels)?;
            rows.into_iter().for_each(|(values, value)| family.with_label_values(&values).inc_by(value));
            self.registry.register(Box::new(family))
        } else {
            let family = GaugeVec::new(options, &labels)?;
            rows.into_iter().for_each(|(values, value)| family.with_label_values(&values).set(value));
            self.registry.register(Box::new(family))
        }
    }

    /// Adds several metrics of the same subjects.
    pub(super) fn add_each<'a, S, const N: usize>(
        &mut self,
        labels: [&str; N],
        subjects: impl IntoIterator<Item = ([&'a str; N], S)>,
        metrics: impl IntoIterator<Item = Metric<S>>,
    ) -> Result<(), prometheus::Error> {
        let subjects: Vec<_> = subjects.into_iter().collect();
        metrics.into_iter().try_for_each(|(name, help, value)| {
            let rows = subjects.iter().map(|(values, subject)| (*values, value(subject)));
            self.add(name, help, labels, rows)
        })
    }

    /// Adds metrics without labels.
    pub(super) fn add_single<const N: usize>(
        &mut self,
        metrics: [(&str, &str, f64); N],
    ) -> Result<(), prometheus::Error> {
        let mut metrics = metrics.into_iter();
        metrics.try_for_each(|(name, help, value)| self.add(name, help, [], [([], value)]))
    }

    /// Returns the metric families.
    pub(super) fn gather(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }
}

pub(super) fn size(size: usize) -> f64 {
    number(u64::try_from(size).unwrap_or(u64::MAX))
}

/// Converts a count to a Prometheus value. Counts beyond 2^53 are rounded.
#[expect(
    clippy::as_conversions,
    reason = "there is no other conversion from u64 to f64, and rounding is acceptable here"
)]
pub(super) fn number(count: u64) -> f64 {
    count as f64
}

pub(super) fn seconds(length: TimeDelta) -> f64 {
    length.to_std().unwrap_or_default().as_secs_f64()
}
