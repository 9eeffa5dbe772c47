//! Runs database jobs on threads. Only this module and the SQLite writer start threads. Each lane has its own workers,
//! each with a connection, and a queue that serves tenants in turn. A caller always gets a result in time, even if the
//! workers are stuck. Abandoned jobs are not started, or are cancelled. While the database does not respond, all jobs
//! are refused immediately (docs/decisions/0014-lanes.md).

mod attempt;
mod breaker;
mod connector;
mod control;
mod control_thread;
mod refused_jobs;
mod row_request;
mod shared;
#[cfg(test)]
mod tests;
mod ticket;
mod watch;
mod worker;
mod workers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::Work;
use steward_domain::kernel::{HealthError, LaneStats};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::{Begun, JobError, OpenError};
use crate::fair_queue::{Full, QueueLimits};
use crate::job::{AnyJob, AnyValue, Outcome, boxed, outcome_of};
use breaker::Breaker;
use control::Control;
use shared::{JobPool, Shared, spawn};
use workers::{Job, JobWork, Workers};

pub(crate) use attempt::attempt;
pub(crate) use connector::{ConnectionUse, Connector, OpenedConnection, Pool};
pub(crate) use refused_jobs::RefusedJobs;
pub(crate) use row_request::{Reply, RowRequest};
pub(crate) use ticket::{Ticket, run_as_job, still_wanted};

/// Limits on the queued jobs of a lane, in total and per tenant.
pub(crate) const QUEUE_LIMITS: QueueLimits = QueueLimits { per_tenant: 256, total: 1024, running: usize::MAX };
/// Timeout of a health check. After it, the database counts as down.
const CHECK_LIMIT: Duration = Duration::from_millis(900);

/// Number of workers per lane. The background lane always has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCounts {
    /// Workers for point reads and writes.
    pub interactive: u32,
    /// Workers for queries that no index bounds.
    pub heavy: u32,
}

impl WorkerCounts {
    /// Returns the number of workers of a pool.
    pub(crate) fn of(self, pool: Pool) -> usize {
        let count = match pool {
            Pool::Lane(Lane::Interactive) => self.interactive,
            Pool::Lane(Lane::Heavy) => self.heavy,
            Pool::Lane(Lane::Background) => 1,
            Pool::Writes => self.interactive.div_ceil(2),
            // Each serves many requests at a time.
            Pool::RowReads | Pool::RowWrites => self.interactive.div_ceil(4),
        };
        usize::try_from(count).unwrap_or(usize::MAX).max(1)
    }
}

impl From<u32> for WorkerCounts {
    /// Uses `interactive` workers for the interactive lane and 2 for the heavy lane.
    fn from(interactive: u32) -> Self {
        Self { interactive, heavy: 2 }
    }
}

/// Runs jobs on the connections of its workers.
pub struct Executor<K: Connector> {
    shared: Arc<Shared<K>>,
}

impl<K: Connector> Executor<K> {
    /// Starts the workers. They connect on their first job and end when the executor is dropped.
    pub fn start(name: &'static str, counts: WorkerCounts, connector: K) -> Result<Self, OpenError> {
        let shared = Arc::new(Shared {
            name,
            connector,
            breaker: Breaker::default(),
            control: Control::default(),
            pools: Pool::ALL.map(|pool| JobPool {
                workers: Arc::new(Workers::new(pool, counts.of(pool), QUEUE_LIMITS)),
                refusals: RefusedJobs::default(),
            }),
            hanging_checks: AtomicUsize::new(0),
            abandoned: AtomicUsize::new(0),
            most_abandoned: Self::pools()
                .fold(0, |sum: usize, pool| sum.saturating_add(counts.of(pool)))
                .saturating_mul(2),
            is_stopped: AtomicBool::new(false),
        });
        let executor = Self { shared };
        executor.start_threads(counts).map_err(OpenError::Thread)?;
        Ok(executor)
    }

    /// Returns the pools with workers.
    fn pools() -> impl Iterator<Item = Pool> {
        Pool::ALL.into_iter().filter(|pool| K::HAS_ROW_REQUESTS || matches!(pool, Pool::Lane(_)))
    }

    fn start_threads(&self, counts: WorkerCounts) -> Result<(), std::io::Error> {
        for pool in Self::pools() {
            for _ in 0..counts.of(pool) {
                worker::start(&self.shared, pool)?;
            }
        }
        let (control_shared, watch_shared) = (self.shared.clone(), self.shared.clone());
        spawn(self.shared.name, move || control_thread::work(&control_shared, 0))?;
        spawn(self.shared.name, move || watch::work(&watch_shared))
    }

    /// Runs `work` on a worker's connection, in the lane and for the tenant of the current task. Returns the outer
    /// `Err` if the job was refused or took too long. Dropping the future cancels the job.
    pub fn run<T, F>(&self, work: F) -> impl Future<Output = Outcome<T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut K::Connection) -> Result<T, JobError> + Send + 'static,
    {
        outcome_of(self.run_in(Pool::Lane(Work::current().lane), false, boxed(work)))
    }

    async fn run_in(&self, pool: Pool, writes: bool, work: AnyJob<K::Connection>) -> Outcome<AnyValue> {
        let (sender, reply) = oneshot::channel();
        let action = Box::new(move |connection: &mut K::Connection| {
            let (reply, is_reusable) = attempt(|| work(connection));
            drop(sender.send(reply));
            is_reusable
        });
        self.submit((pool, writes), JobWork::Action(action), reply).await
    }

    /// Same as [`Executor::run`], for work that writes. In the interactive lane, writes have workers of their own, so that reads
    /// go on while commits hang.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "SQLite has one writer."))]
    pub fn run_write<T, F>(&self, work: F) -> impl Future<Output = Outcome<T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut K::Connection) -> Result<T, JobError> + Send + 'static,
    {
        let pool = match Work::current().lane {
            Lane::Interactive if K::HAS_ROW_REQUESTS => Pool::Writes,
            lane => Pool::Lane(lane),
        };
        outcome_of(self.run_in(pool, true, boxed(work)))
    }

    /// Runs a row request, for the tenant of the current task. In the interactive lane, it shares a statement with others
    /// that wait; in other lanes, it runs alone. Returns as [`Executor::run`]. Dropping the future does not end the
    /// statement, which may serve others.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "Only PostgreSQL has row requests."))]
    pub async fn run_row<T>(&self, request: impl FnOnce(Reply<T>) -> K::Row) -> Outcome<T> {
        let (sender, reply) = oneshot::channel();
        let request = request(sender);
        let writes = request.writes();
        let (pool, work) = match Work::current().lane {
            Lane::Interactive if writes => (Pool::RowWrites, JobWork::Row(request)),
            Lane::Interactive => (Pool::RowReads, JobWork::Row(request)),
            lane => {
                let action = Box::new(|connection: &mut K::Connection| request.run_alone(connection));
                (Pool::Lane(lane), JobWork::Action(action))
            }
        };
        self.submit((pool, writes), work, reply).await
    }

    /// Queues the work and waits for its result.
    async fn submit<T>(
        &self,
        (pool, writes): (Pool, bool),
        work: JobWork<K>,
        reply: oneshot::Receiver<Outcome<T>>,
    ) -> Outcome<T> {
        let (lane, tenant) = (pool.lane(), Work::current().tenant);
        let span = span(self.shared.name, lane);
        let JobPool { workers, refusals } = self.shared.pool(pool);
        let tripped = self.shared.breaker.tripped();
        tokio::pin!(tripped);
        tripped.as_mut().enable();
        if self.shared.breaker.is_open() {
            refusals.breaker.fetch_add(1, Ordering::Relaxed);
            return Err(unavailable_error());
        }
        if writes && self.shared.commits_hang() {
            refusals.breaker.fetch_add(1, Ordering::Relaxed);
            return Err(anyhow!("The database does not finish writes."));
        }
        let (waiting, ticket) = JobWait::begin(|ticket| self.shared.control.cancel(ticket));
        if workers.push(tenant, Job { ticket: ticket.clone(), work }) == Err(Full) {
            refusals.full.fetch_add(1, Ordering::Relaxed);
            waiting.stop_waiting();
            return Err(queue_full_error(lane));
        }
        let result = async {
            tokio::select! {
                biased;
                result = reply => result.unwrap_or_else(|_| Err(stopped(&ticket, unavailable_error()))),
                () = tripped => {
                    ticket.leave();
                    Err(stopped(&ticket, unavailable_error()))
                }
            }
        };
        let result = waiting.bounded(result).await;
        span.record("steward.combined", ticket.group_size());
        // The watch cancels a job at its deadline, maybe before its caller notices. A commit that waits for a standby then ends
        // without an error, although the standby does not have it.
        let is_proven = |result: &Outcome<T>| !(writes && matches!(result, Ok(Ok(_))) && ticket.was_cancelled());
        match result.filter(is_proven) {
            Some(result) => result,
            None => {
                refusals.deadline.fetch_add(1, Ordering::Relaxed);
                Err(stopped(&ticket, timeout_error(lane)))
            }
        }
    }

    /// Checks the database on the control connection, independent of all lanes and with a short timeout.
    pub async fn check(&self) -> Result<(), HealthError> {
        if self.shared.breaker.is_open() {
            return Err(HealthError::Unreachable(unavailable_error()));
        }
        match timeout(CHECK_LIMIT, self.shared.control.check()).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(HealthError::Unreachable(unavailable_error())),
            Err(_) => Err(HealthError::Unreachable(anyhow!("The database did not respond within {CHECK_LIMIT:?}."))),
        }
    }

    /// Returns the current state and the counters of each lane.
    pub fn stats(&self) -> Vec<LaneStats> {
        let stats = |pool| {
            let JobPool { workers, refusals } = self.shared.pool(pool);
            workers.stats(self.shared.name, refusals)
        };
        Self::pools().map(stats).collect()
    }
}

impl<K: Connector> Drop for Executor<K> {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Release);
        self.shared.pools.iter().for_each(|pool| pool.workers.stop());
        self.shared.control.stop();
    }
}

/// Creates the trace span of a job, which covers waiting and execution. It ends when dropped. Jobs outside of a request
/// have no span.
pub(crate) fn span(pool: &str, lane: Lane) -> tracing::Span {
    if tracing::Span::current().is_none() {
        return tracing::Span::none();
    }
    tracing::info_span!(
        "database",
        otel.kind = "client",
        steward.pool = pool,
        steward.lane = lane.as_str(),
        steward.combined = tracing::field::Empty
    )
}

/// A caller that waits for a job. Dropping it before the job has ended cancels the job.
pub(crate) struct JobWait<F: FnMut(Arc<Ticket>)> {
    ticket: Arc<Ticket>,
    started_at: Instant,
    limit: Duration,
    has_ended: bool,
    cancel: F,
}

impl<F: FnMut(Arc<Ticket>)> JobWait<F> {
    /// Starts waiting, with the remaining time limit of the current task.
    pub(crate) fn begin(cancel: F) -> (Self, Arc<Ticket>) {
        let (started_at, limit) = (Instant::now(), Work::time_left());
        let ticket = Arc::new(Ticket::new(started_at, started_at + limit));
        (Self { ticket: ticket.clone(), started_at, limit, has_ended: false, cancel }, ticket)
    }

    /// Waits for the result. Returns `None` on a timeout.
    pub(crate) async fn bounded<T>(mut self, result: impl Future<Output = T>) -> Option<T> {
        let result = timeout(self.limit, result).await.ok();
        Work::add_waited(self.started_at.elapsed());
        self.has_ended = result.is_some();
        result
    }

    /// Stops waiting without cancelling the job.
    pub(crate) fn stop_waiting(mut self) {
        self.has_ended = true;
    }
}

impl<F: FnMut(Arc<Ticket>)> Drop for JobWait<F> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.ticket.leave();
            (self.cancel)(self.ticket.clone());
        }
    }
}

/// Returns the error of a job whose caller does not wait for it any more.
pub(crate) fn stopped(ticket: &Ticket, error: anyhow::Error) -> anyhow::Error {
    if ticket.has_begun() { Begun(error).into() } else { error }
}

fn unavailable_error() -> anyhow::Error {
    anyhow!("The database does not respond.")
}

/// The tenant's queue is full.
pub(crate) fn queue_full_error(lane: Lane) -> anyhow::Error {
    anyhow!("Too many jobs of this tenant are queued in the {} lane. Retry later.", lane.as_str())
}

/// The job exceeded its time limit.
pub(crate) fn timeout_error(lane: Lane) -> anyhow::Error {
    anyhow!("A database job of the {} lane exceeded its time limit.", lane.as_str())
}
