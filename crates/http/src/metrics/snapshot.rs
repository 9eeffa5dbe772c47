//! Numbers that the parts of the service count themselves, turned into families of metrics for one scrape.

use prometheus::proto::MetricFamily;
use prometheus::{CounterVec, GaugeVec, Opts, Registry};

/// Families of metrics with the values that they have now.
#[derive(Default)]
pub(super) struct Snapshot {
    registry: Registry,
}

/// The values of the labels, and the value.
type Row<'a> = (&'a [&'a str], f64);

impl Snapshot {
    /// Adds numbers that only grow.
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

    /// Adds numbers that rise and fall.
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

    /// The families.
    pub(super) fn gather(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }
}
