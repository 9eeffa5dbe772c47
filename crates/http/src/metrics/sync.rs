//! Metrics of the connected devices.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::snapshot::{Snapshot, number, size};
use crate::sync::SyncHub;

pub(super) fn add(snapshot: &mut Snapshot, hub: &SyncHub) -> Result<(), prometheus::Error> {
    let (stats, count) = (&hub.stats, |count: &AtomicU64| number(count.load(Ordering::Relaxed)));
    let messages = [(["in"], count(&stats.received)), (["out"], count(&stats.sent))];
    let help = "Messages from devices (in) and to devices (out).";
    snapshot.add("steward_sync_messages_total", help, ["direction"], messages)?;
    let lag = Duration::from_micros(stats.lag.load(Ordering::Relaxed)).as_secs_f64();
    let metrics = [
        ("steward_sync_connections", "Open connections of devices.", size(hub.connections())),
        ("steward_sync_rejected_total", "Changes of devices that were rejected.", count(&stats.rejected)),
        (
            "steward_sync_refused_total",
            "Connections of devices that were refused because there were too many.",
            count(&stats.refused),
        ),
        (
            "steward_sync_corrections_total",
            "Items that were sent to a device to correct it.",
            count(&stats.corrections),
        ),
        ("steward_sync_lag_seconds", "Age of the oldest change at the last delivery to devices.", lag),
    ];
    snapshot.add_single(metrics)
}
