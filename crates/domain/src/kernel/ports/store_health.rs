//! Health and statistics of the store.

use std::time::Duration;

use async_trait::async_trait;

use crate::kernel::error::Cause;
use crate::kernel::policy::Lane;

/// Why the store is not healthy.
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    /// The database does not respond.
    #[error("The database does not respond. Check that it is running and that DATABASE_URL is correct.")]
    Unreachable(#[source] Cause),
    /// The database responds but rejects writes.
    #[error("The database is read-only. Make it writable, or set DATABASE_URL to the primary server.")]
    ReadOnly,
    /// The database responds but does not finish writes.
    #[error("The database does not finish writes. Check its synchronous standbys.")]
    CommitsHang,
}

/// Statistics of one lane of a connection pool since the process started.
#[derive(Debug, Clone, Copy)]
pub struct LaneStats {
    /// Name of the pool. A store may have separate pools for reads and writes.
    pub pool: &'static str,
    /// Lane of the pool.
    pub lane: Lane,
    /// Number of waiting jobs.
    pub queued: usize,
    /// Number of running jobs.
    pub running: usize,
    /// Number of workers.
    pub workers: usize,
    /// Number of workers with a connection.
    pub connections: usize,
    /// Number of completed jobs.
    pub done: u64,
    /// Number of times that a worker ran a job, or several jobs in one statement.
    pub statements: u64,
    /// Total time that jobs waited for a worker.
    pub waited: Duration,
    /// Total time that jobs ran.
    pub worked: Duration,
    /// Number of jobs that were rejected because too many jobs of their tenant, or of all tenants, were waiting.
    pub refused_full: u64,
    /// Number of jobs that were rejected because their time limit was exceeded.
    pub refused_deadline: u64,
    /// Number of jobs that were rejected because the database did not respond.
    pub refused_breaker: u64,
    /// Number of workers that were abandoned because their connection did not respond.
    pub abandoned: u64,
}

/// Reports the health of the store.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait StoreHealth: Send + Sync {
    /// Checks that the store responds and accepts writes. MUST return within a second, however high the load of the
    /// store is.
    async fn check(&self) -> Result<(), HealthError>;

    /// Returns the statistics of each lane.
    fn lanes(&self) -> Vec<LaneStats>;
}
