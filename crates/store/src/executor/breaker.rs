//! While the database does not answer nobody waits for it: the breaker is open, and everything is refused at once until a
//! probe finds the database again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Open: the database is down as far as anybody knows.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    is_open: AtomicBool,
    /// Counts the recoveries: a connection from before one is not used again.
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

    /// Completes when the breaker opens after this call.
    pub(super) fn tripped(&self) -> Notified<'_> {
        self.tripped.notified()
    }

    /// Opens it. Whether it was closed.
    pub(super) fn trip(&self) -> bool {
        let was_closed = !self.is_open.swap(true, Ordering::AcqRel);
        if was_closed {
            self.tripped.notify_waiters();
        }
        was_closed
    }

    /// Closes it: the database answers. Whether it was open.
    pub(super) fn close(&self) -> bool {
        if !self.is_open() {
            return false;
        }
        self.renew();
        self.is_open.swap(false, Ordering::AcqRel)
    }

    /// Every connection is to be made anew before it is used again.
    pub(super) fn renew(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }
}
