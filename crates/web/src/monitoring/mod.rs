//! What operators see of requests: metrics, traces, and the log of an outage.

pub(crate) mod metrics;
pub(crate) mod outage_log;
pub(crate) mod trace;
