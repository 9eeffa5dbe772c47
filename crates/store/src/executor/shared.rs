//! What the threads of an executor share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use steward_domain::policy::Lane;
use steward_domain::ports::HealthError;

use super::breaker::Breaker;
use super::connector::Connector;
use super::control::Control;
use super::workers::Workers;

/// Number of refused jobs of a lane, by reason.
#[derive(Debug, Default)]
pub(crate) struct RefusedJobs {
    pub full: AtomicU64,
    pub deadline: AtomicU64,
    pub breaker: AtomicU64,
}

pub(super) struct JobLane<C> {
    pub(super) workers: Arc<Workers<C>>,
    pub(super) refusals: RefusedJobs,
}

pub(super) struct Shared<K: Connector> {
    pub(super) name: &'static str,
    pub(super) connector: K,
    pub(super) breaker: Breaker,
    pub(super) control: Control,
    pub(super) interactive: JobLane<K::Connection>,
    pub(super) heavy: JobLane<K::Connection>,
    pub(super) background: JobLane<K::Connection>,
    /// Number of abandoned threads that have not ended yet.
    pub(super) abandoned: AtomicUsize,
    pub(super) most_abandoned: usize,
    pub(super) is_stopped: AtomicBool,
}

impl<K: Connector> Shared<K> {
    pub(super) fn lane(&self, lane: Lane) -> &JobLane<K::Connection> {
        match lane {
            Lane::Interactive => &self.interactive,
            Lane::Heavy => &self.heavy,
            Lane::Background => &self.background,
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
        Lane::ALL.into_iter().for_each(|lane| self.lane(lane).workers.drain());
        self.control.wake();
    }
}

pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), std::io::Error> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}
