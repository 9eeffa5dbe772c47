//! Converts the statistics that parts of the service collect to metric families, for one scrape.

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
