//! What the threads of an executor share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use steward_domain::kernel::HealthError;
use steward_domain::kernel::policy::Lane;

use super::breaker::Breaker;
use super::connector::{Connector, Pool};
use super::control::Control;
use super::refused_jobs::RefusedJobs;
use super::workers::Workers;

/// Writes are refused after this many checks in a row found that commits hang: a single one may be a pause of the machine.
const MAX_HANGING_CHECKS: usize = 2;

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
    /// Number of checks in a row that found that commits hang.
    pub(super) hanging_checks: AtomicUsize,
    /// Number of abandoned threads that have not ended yet.
    pub(super) abandoned: AtomicUsize,
    pub(super) most_abandoned: usize,
    pub(super) is_stopped: AtomicBool,
}

impl<K: Connector> Shared<K> {
    pub(super) fn pool(&self, pool: Pool) -> &JobPool<K> {
        let [interactive, heavy, background, writes, row_reads, row_writes] = &self.pools;
        match pool {
            Pool::Lane(Lane::Interactive) => interactive,
            Pool::Lane(Lane::Heavy) => heavy,
            Pool::Lane(Lane::Background) => background,
            Pool::Writes => writes,
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
            // A database that does not write can still serve reads.
            Ok(()) | Err(HealthError::ReadOnly | HealthError::CommitsHang) => {
                self.found_commits(matches!(found, Err(HealthError::CommitsHang)));
                if self.abandoned.load(Ordering::Acquire) < self.most_abandoned && self.breaker.close() {
                    tracing::info!(pool = self.name, "The database responds again.");
                }
            }
        }
    }

    fn found_commits(&self, hang: bool) {
        if hang {
            let checks = self.hanging_checks.fetch_add(1, Ordering::AcqRel).saturating_add(1);
            if checks == MAX_HANGING_CHECKS {
                tracing::error!(
                    pool = self.name,
                    "The database does not finish writes. Writes are refused until it does."
                );
            }
        } else if self.hanging_checks.swap(0, Ordering::AcqRel) >= MAX_HANGING_CHECKS {
            tracing::info!(pool = self.name, "The database finishes writes again.");
        }
    }

    /// Returns whether commits hang.
    pub(super) fn commits_hang(&self) -> bool {
        self.hanging_checks.load(Ordering::Acquire) >= MAX_HANGING_CHECKS
    }

    /// Returns whether the database is checked again soon.
    pub(super) fn is_disturbed(&self) -> bool {
        self.breaker.is_open() || self.hanging_checks.load(Ordering::Acquire) > 0
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
