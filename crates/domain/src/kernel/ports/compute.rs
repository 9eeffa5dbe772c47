//! A thread pool for CPU-bound work.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;

use crate::kernel::error::Error;
use crate::kernel::lock;

/// CPU-bound work. It passes its result on itself.
pub type Job = Box<dyn FnOnce() + Send>;

/// Statistics of a bounded thread pool since the process started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Number of waiting jobs.
    pub queued: usize,
    /// Number of running jobs.
    pub running: usize,
    /// Number of completed jobs.
    pub done: u64,
    /// Total time that jobs waited for a thread.
    pub waited: Duration,
    /// Total time that jobs ran.
    pub worked: Duration,
    /// Number of jobs that were rejected because too many jobs of their tenant, or of all tenants, were waiting, or
    /// because they waited for too long.
    pub refused: u64,
}

/// Runs CPU-bound jobs on other threads than those that serve requests. The number of concurrent jobs is bounded and
/// tenants are served in turn.
#[async_trait]
pub trait Compute: Send + Sync {
    /// Runs the job to completion. Returns `Error::Unavailable` without running it if too many jobs are waiting, or if it
    /// waited for the time limit of its lane.
    async fn run(&self, job: Job) -> Result<(), Error>;

    /// Returns the statistics of the pool.
    fn stats(&self) -> PoolStats;
}

impl dyn Compute {
    /// Runs `work` in the pool and returns its result. If `is_large` is `false`, runs it immediately on the calling
    /// thread.
    pub async fn call<T: Send + 'static>(
        &self,
        is_large: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        if !is_large {
            return Ok(work());
        }
        let result = Arc::new(Mutex::new(None));
        let slot = result.clone();
        self.run(Box::new(move || *lock(&slot) = Some(work()))).await?;
        let result = lock(&result).take();
        result.ok_or_else(|| Error::Internal(anyhow::anyhow!("the job ended without a result")))
    }
}
