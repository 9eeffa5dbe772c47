//! Counters of jobs that an executor, or the writer of SQLite, refuses.

use std::sync::atomic::AtomicU64;

/// Number of refused jobs of a lane, by reason.
#[derive(Debug, Default)]
pub(crate) struct RefusedJobs {
    pub full: AtomicU64,
    pub deadline: AtomicU64,
    pub breaker: AtomicU64,
}
