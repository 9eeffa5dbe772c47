//! Circuit breaker: while the database does not respond, the breaker is open, and all jobs are refused immediately
//! until a probe succeeds.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// State of the circuit breaker. Open means that the database is considered down.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    is_open: AtomicBool,
    /// Number of recoveries. A connection opened before the latest recovery is not reused.
    epoch: AtomicU64,
    tripped: Notify,
}

impl Breaker {
    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Returns a future that completes when the breaker opens after this call.
    pub(super) fn tripped(&self) -> Notified<'_> {
        self.tripped.notified()
    }

    /// Opens the breaker. Returns whether it was closed.
    pub(super) fn trip(&self) -> bool {
        let was_closed = !self.is_open.swap(true, Ordering::AcqRel);
        if was_closed {
            self.tripped.notify_waiters();
        }
        was_closed
    }

    /// Closes the breaker because the database responds. Returns whether it was open.
    pub(super) fn close(&self) -> bool {
        if !self.is_open() {
            return false;
        }
        self.renew();
        self.is_open.swap(false, Ordering::AcqRel)
    }

    /// Invalidates every open connection: workers reconnect before the next job.
    pub(super) fn renew(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }
}
