//! Metrics of the connected devices.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::snapshot::{Snapshot, number};
use crate::sync::SyncHub;

pub(super) fn add(snapshot: &mut Snapshot, hub: &SyncHub) -> Result<(), prometheus::Error> {
    let connections = u64::try_from(hub.connections()).unwrap_or(u64::MAX);
    let help = "Open connections of devices.";
    snapshot.gauge("steward_sync_connections", help, &[], &[(&[], number(connections))])?;
    let stats = hub.stats();
    let count = |count: &AtomicU64| number(count.load(Ordering::Relaxed));
    let messages: [(&[&str], f64); 2] = [(&["in"], count(&stats.received)), (&["out"], count(&stats.sent))];
    let help = "Messages from devices (in) and to devices (out).";
    snapshot.counter("steward_sync_messages_total", help, &["direction"], &messages)?;
    let help = "Changes of devices that were rejected.";
    snapshot.counter("steward_sync_rejected_total", help, &[], &[(&[], count(&stats.rejected))])?;
    let help = "Connections of devices that were refused because there were too many.";
    snapshot.counter("steward_sync_refused_total", help, &[], &[(&[], count(&stats.refused))])?;
    let help = "Items that were sent to a device to correct it.";
    snapshot.counter("steward_sync_corrections_total", help, &[], &[(&[], count(&stats.corrections))])?;
    let lag = Duration::from_micros(stats.lag.load(Ordering::Relaxed));
    let help = "Age of the oldest change at the last delivery to devices.";
    snapshot.gauge("steward_sync_lag_seconds", help, &[], &[(&[], lag.as_secs_f64())])
}
