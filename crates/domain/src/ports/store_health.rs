//! How the store is.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::Cause;
use crate::policy::Lane;

/// Why the store cannot do its work.
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    /// It does not answer.
    #[error("The database does not answer. Check that it runs and that DATABASE_URL is right.")]
    Unreachable(#[source] Cause),
    /// It answers, and takes no writes.
    #[error("The database is read-only. Make it writable, or point DATABASE_URL to the primary server.")]
    ReadOnly,
}

/// What one lane of a pool of connections does right now, and has done since the start.
#[derive(Debug, Clone, Copy)]
pub struct LaneStats {
    /// The pool: a store may have one for reading and one for writing.
    pub pool: &'static str,
    /// The lane.
    pub lane: Lane,
    /// How many jobs wait.
    pub queued: usize,
    /// How many jobs run.
    pub running: usize,
    /// How many workers there are.
    pub workers: usize,
    /// How many of them have a connection.
    pub connections: usize,
    /// How many jobs ended.
    pub done: u64,
    /// How long jobs waited for a worker, in all.
    pub waited: Duration,
    /// How long jobs ran, in all.
    pub worked: Duration,
    /// How many jobs were refused because their tenant, or all, had too many waiting.
    pub refused_full: u64,
    /// How many jobs were refused because their time was over.
    pub refused_deadline: u64,
    /// How many jobs were refused because the database did not answer.
    pub refused_breaker: u64,
    /// How many workers were given up on because their connection was silent.
    pub abandoned: u64,
}

/// Reports how the store is.
#[async_trait]
pub trait StoreHealth: Send + Sync {
    /// Whether the store answers and takes writes right now. MUST be known within a second, whatever load the store is under.
    async fn check(&self) -> Result<(), HealthError>;

    /// What each lane does and has done.
    fn lanes(&self) -> Vec<LaneStats>;
}
