//! Counters of the connections with devices.

use std::sync::atomic::AtomicU64;

/// Numbers since the process started.
#[derive(Debug, Default)]
pub(crate) struct SyncStats {
    pub received: AtomicU64,
    pub sent: AtomicU64,
    /// Items that were sent because a change of the device was rejected or may have been overwritten.
    pub corrections: AtomicU64,
    pub rejected: AtomicU64,
    /// Connections that were not accepted because there were too many.
    pub refused: AtomicU64,
    /// Age of the oldest change at the last delivery, in microseconds.
    pub lag: AtomicU64,
}
