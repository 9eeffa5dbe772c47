//! The processor, for what takes long without waiting for anything.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use crate::error::Error;

/// Work that leaves what it makes with whoever waits for it.
pub type Job = Box<dyn FnOnce() + Send>;

/// What a bounded pool of threads does right now, and has done since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// How many jobs wait.
    pub queued: usize,
    /// How many jobs run.
    pub running: usize,
    /// How many jobs ended.
    pub done: u64,
    /// How long jobs waited for a thread, in all.
    pub waited: Duration,
    /// How long jobs ran, in all.
    pub worked: Duration,
    /// How many jobs were refused because their tenant, or all, had too many waiting.
    pub refused: u64,
}

/// Runs what takes the processor for long apart from the threads that serve requests: a bounded number at a time, tenants
/// in turn.
#[async_trait]
pub trait Compute: Send + Sync {
    /// Runs the job to its end. `Error::Unavailable` when too many wait already; then it does not run.
    async fn run(&self, job: Job) -> Result<(), Error>;

    /// What it does and has done.
    fn stats(&self) -> PoolStats;
}

impl dyn Compute {
    /// What the work makes. What is not large is done at once, where it is asked for.
    pub async fn call<T: Send + 'static>(
        &self,
        is_large: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        if !is_large {
            return Ok(work());
        }
        let made = Arc::new(Mutex::new(None));
        let place = made.clone();
        self.run(Box::new(move || *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(work()))).await?;
        let made = made.lock().unwrap_or_else(PoisonError::into_inner).take();
        made.ok_or_else(|| Error::Internal(anyhow::anyhow!("a job ended without a result")))
    }
}
