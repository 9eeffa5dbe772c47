//! What the threads of an executor share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use steward_domain::policy::Lane;
use steward_domain::ports::HealthError;

use super::breaker::Breaker;
use super::connector::{Connector, Pool};
use super::control::Control;
use super::workers::Workers;

/// Number of refused jobs of a lane, by reason.
#[derive(Debug, Default)]
pub(crate) struct RefusedJobs {
    pub full: AtomicU64,
    pub deadline: AtomicU64,
    pub breaker: AtomicU64,
}

pub(super) struct JobPool<K: Connector> {
    pub(super) workers: Arc<Workers<K>>,
    pub(super) refusals: RefusedJobs,
}

pub(super) struct Shared<K: Connector> {
    pub(super) name: &'static str,
    pub(super) connector: K,
    pub(super) breaker: Breaker,
    pub(super) control: Control,
    /// In the order of [`Pool::ALL`].
    pub(super) pools: [JobPool<K>; Pool::ALL.len()],
    /// Number of abandoned threads that have not ended yet.
    pub(super) abandoned: AtomicUsize,
    pub(super) most_abandoned: usize,
    pub(super) is_stopped: AtomicBool,
}

impl<K: Connector> Shared<K> {
    pub(super) fn pool(&self, pool: Pool) -> &JobPool<K> {
        let [interactive, heavy, background, row_reads, row_writes] = &self.pools;
        match pool {
            Pool::Lane(Lane::Interactive) => interactive,
            Pool::Lane(Lane::Heavy) => heavy,
            Pool::Lane(Lane::Background) => background,
            Pool::RowReads => row_reads,
            Pool::RowWrites => row_writes,
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// Applies the result of a check by the control connection.
    pub(super) fn found(&self, found: Result<&(), &HealthError>) {
        match found {
            Err(HealthError::Unreachable(cause)) => self.trip(&format!("{cause:#}")),
            // A read-only database can still serve reads.
            Ok(()) | Err(HealthError::ReadOnly) => {
                if self.abandoned.load(Ordering::Acquire) < self.most_abandoned && self.breaker.close() {
                    tracing::info!(pool = self.name, "The database responds again.");
                }
            }
        }
    }

    /// Opens the breaker: all jobs are refused until the database responds.
    pub(super) fn trip(&self, cause: &str) {
        if self.breaker.trip() {
            tracing::error!(
                pool = self.name,
                cause,
                "The database does not respond. Requests are refused until it does."
            );
        }
        self.pools.iter().for_each(|pool| pool.workers.drain());
        self.control.wake();
    }
}

pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), std::io::Error> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}
