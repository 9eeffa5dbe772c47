//! Converts the statistics that parts of the service collect to metric families, for one scrape.

use chrono::TimeDelta;
use prometheus::proto::MetricFamily;
use prometheus::{CounterVec, GaugeVec, Opts, Registry};

/// Metric families with their current values.
#[derive(Default)]
pub(super) struct Snapshot {
    registry: Registry,
}

/// The label values and the value of one time series.
type Row<'a> = (&'a [&'a str], f64);

impl Snapshot {
    /// Adds a counter.
    pub(super) fn counter(
        &mut self,
        name: &str,
        help: &str,
        labels: &[&str],
        rows: &[Row<'_>],
    ) -> Result<(), prometheus::Error> {
        let family = CounterVec::new(Opts::new(name, help), labels)?;
        for (values, value) in rows {
            family.with_label_values(values).inc_by(*value);
        }
        self.registry.register(Box::new(family))
    }

    /// Adds a gauge.
    pub(super) fn gauge(
        &mut self,
        name: &str,
        help: &str,
        labels: &[&str],
        rows: &[Row<'_>],
    ) -> Result<(), prometheus::Error> {
        let family = GaugeVec::new(Opts::new(name, help), labels)?;
        for (values, value) in rows {
            family.with_label_values(values).set(*value);
        }
        self.registry.register(Box::new(family))
    }

    /// Returns the metric families.
    pub(super) fn gather(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }
}

/// Returns rows with borrowed labels.
pub(super) fn labelled<'a, const N: usize>(rows: &'a [([&'a str; N], f64)]) -> Vec<(&'a [&'a str], f64)> {
    rows.iter().map(|(labels, value)| (labels.as_slice(), *value)).collect()
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
