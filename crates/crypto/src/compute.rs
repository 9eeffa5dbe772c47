//! CPU-bound jobs. They run on separate threads, at most as many at a time as there are cores.

use async_trait::async_trait;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Compute, Job, PoolStats};

use crate::fair_semaphore::{FairSemaphore, Limits};

/// Maximum number of waiting jobs. A further job is rejected immediately.
const MAX_WAITING: Limits = Limits { total: 128, per_tenant: 32 };

/// Runs CPU-bound jobs. Tenants take turns.
pub struct ComputePool(FairSemaphore);

impl Default for ComputePool {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Self(FairSemaphore::new(cores, MAX_WAITING))
    }
}

#[async_trait]
impl Compute for ComputePool {
    async fn run(&self, job: Job) -> Result<(), Error> {
        self.0.run("The job got no thread", job).await
    }

    fn stats(&self) -> PoolStats {
        self.0.stats()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn large_work_runs_on_another_thread_and_small_work_on_the_callers_thread() {
        let pool: Arc<dyn Compute> = Arc::new(ComputePool::default());
        let thread = || std::thread::current().id();
        assert_eq!(pool.call(false, thread).await.unwrap(), thread());
        assert_ne!(pool.call(true, thread).await.unwrap(), thread());
        let failed = pool.call(true, || panic!("a job that panics")).await;
        assert!(matches!(failed, Err::<(), _>(Error::Internal(_))));
        assert_eq!(pool.call(true, || 7).await.unwrap(), 7);
        assert_eq!((pool.stats().done, pool.stats().running, pool.stats().queued), (3, 0, 0));
    }
}
