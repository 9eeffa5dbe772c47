//! Metrics of the backlog of background work.

use steward_domain::kernel::{Backlog, Time};

use super::snapshot::{Snapshot, number, seconds};

pub(super) fn add(snapshot: &mut Snapshot, backlog: &Backlog, now: Time) -> Result<(), prometheus::Error> {
    let age = |since: Option<Time>| since.map_or(0.0, |since| seconds(now - since));
    let newest = backlog.newest_unpartitioned.map_or(0.0, |at| seconds(at - Time::UNIX_EPOCH));
    let gauges = [
        (
            "steward_audit_unsealed_events",
            "Audit events that are not sealed, counted up to 10,000.",
            number(backlog.unsealed_events),
        ),
        (
            "steward_audit_unsealed_age_seconds",
            "Age of the oldest audit event that is not sealed.",
            age(backlog.oldest_unsealed),
        ),
        (
            "steward_audit_default_partition_timestamp_seconds",
            "When the newest event in a default partition of PostgreSQL was written; 0 if there is none.",
            newest,
        ),
        ("steward_webhooks_due", "Webhooks with a due delivery, counted up to 10,000.", number(backlog.due_webhooks)),
        ("steward_webhooks_lag_seconds", "Time since the oldest delivery became due.", age(backlog.oldest_due)),
        (
            "steward_webhooks_failing",
            "Webhooks whose last delivery failed, counted up to 10,000.",
            number(backlog.failing_webhooks),
        ),
    ];
    snapshot.add_single(gauges)
}
