//! The only place that knows threads. Each lane has workers of its own, each with a connection, and a queue in which tenants
//! are served in turn. Whoever waits is answered in time, whatever the workers are stuck in; what nobody waits for any more
//! is not begun, or cancelled; and while the database does not answer everybody is refused at once (docs/decisions/0014).

mod breaker;
mod control;
#[cfg(test)]
mod tests;
mod ticket;
mod watch;
mod worker;
mod workers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use steward_domain::policy::Lane;
use steward_domain::ports::{HealthError, LaneStats};
use steward_domain::work::Work;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::{JobError, OpenError};
use crate::fair_queue::{Full, QueueLimits};
use breaker::Breaker;
use control::Control;
use workers::{Job, Workers};

pub(crate) use ticket::{Ticket, as_job, still_wanted};

/// How many jobs may wait for a lane, and how many of them from one tenant.
pub(crate) const QUEUE_LIMITS: QueueLimits = QueueLimits { per_tenant: 256, total: 1024, running: usize::MAX };
/// How long a check of the database may take until it counts as down.
const CHECK_LIMIT: Duration = Duration::from_millis(900);

/// What a connection is for: it decides how long its statements may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionUse {
    /// The jobs of a lane.
    Lane(Lane),
    /// Finding out how the database is, and cancelling jobs.
    Control,
}

impl ConnectionUse {
    /// How long a statement may take: a little less than those who wait for it may wait.
    pub fn statement_limit(self) -> Duration {
        match self {
            Self::Lane(lane) => lane.time_limit().saturating_sub(Duration::from_millis(500)),
            Self::Control => Duration::from_secs(1),
        }
    }
}

/// A connection, and the process of the database behind it that can be told to stop.
pub struct OpenedConnection<C> {
    pub connection: C,
    pub backend: Option<i32>,
}

/// Opens and checks the connections of a database.
pub trait Connector: Send + Sync + 'static {
    /// A connection. It stays on the thread that opened it.
    type Connection: 'static;

    /// Opens a connection. MUST give up after a few seconds.
    fn connect(&self, purpose: ConnectionUse) -> Result<OpenedConnection<Self::Connection>, anyhow::Error>;

    /// Whether a connection that lay idle still works.
    fn is_alive(&self, connection: &mut Self::Connection) -> bool;

    /// Whether the database answers and takes writes.
    fn check(&self, connection: &mut Self::Connection) -> Result<(), HealthError>;

    /// Tells a process of the database to stop what it does.
    fn cancel(&self, connection: &mut Self::Connection, backend: i32) -> Result<(), anyhow::Error>;
}

/// How many workers each lane has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCounts {
    /// For point reads and writes.
    pub interactive: u32,
    /// For what no index bounds.
    pub heavy: u32,
}

impl WorkerCounts {
    fn of(self, lane: Lane) -> usize {
        let count = match lane {
            Lane::Interactive => self.interactive,
            Lane::Heavy => self.heavy,
            Lane::Background => 1,
        };
        usize::try_from(count).unwrap_or(usize::MAX).max(1)
    }

    fn total(self) -> usize {
        Lane::ALL.into_iter().fold(0, |sum, lane| sum.saturating_add(self.of(lane)))
    }
}

impl From<u32> for WorkerCounts {
    /// This many for the interactive lane, and as few as can be for the others.
    fn from(interactive: u32) -> Self {
        Self { interactive, heavy: 2 }
    }
}

/// Why jobs of a lane were refused.
#[derive(Debug, Default)]
pub(crate) struct RefusedJobs {
    pub full: AtomicU64,
    pub deadline: AtomicU64,
    pub breaker: AtomicU64,
}

struct JobLane<C> {
    workers: Arc<Workers<C>>,
    refusals: RefusedJobs,
}

struct Shared<K: Connector> {
    name: &'static str,
    connector: K,
    breaker: Breaker,
    control: Control,
    interactive: JobLane<K::Connection>,
    heavy: JobLane<K::Connection>,
    background: JobLane<K::Connection>,
    /// The threads that were given up on and have not come back.
    abandoned: AtomicUsize,
    most_abandoned: usize,
    is_stopped: AtomicBool,
}

impl<K: Connector> Shared<K> {
    fn lane(&self, lane: Lane) -> &JobLane<K::Connection> {
        match lane {
            Lane::Interactive => &self.interactive,
            Lane::Heavy => &self.heavy,
            Lane::Background => &self.background,
        }
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// The control connection found the database so.
    fn found(&self, found: Result<&(), &HealthError>) {
        match found {
            Err(HealthError::Unreachable(cause)) => self.trip(&format!("{cause:#}")),
            // What can only be read can at least be read.
            Ok(()) | Err(HealthError::ReadOnly) => {
                if self.abandoned.load(Ordering::Acquire) < self.most_abandoned && self.breaker.close() {
                    tracing::info!(pool = self.name, "the database answers again");
                }
            }
        }
    }

    /// Refuses everything until the database answers.
    fn trip(&self, cause: &str) {
        if self.breaker.trip() {
            tracing::error!(
                pool = self.name,
                cause,
                "the database does not answer; requests are refused until it does"
            );
        }
        Lane::ALL.into_iter().for_each(|lane| self.lane(lane).workers.drain());
        self.control.wake();
    }

    fn enrol(self: &Arc<Self>, lane: Lane) -> Result<(), std::io::Error> {
        let (shared, workers) = (self.clone(), self.lane(lane).workers.clone());
        let number = workers.enrol();
        spawn(self.name, move || worker::work(&shared, &workers, number))
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), std::io::Error> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// Runs jobs on connections.
pub struct Executor<K: Connector> {
    shared: Arc<Shared<K>>,
}

impl<K: Connector> Executor<K> {
    /// Starts the workers. They connect when there is something to do, and end when the executor is dropped.
    pub fn start(name: &'static str, counts: WorkerCounts, connector: K) -> Result<Self, OpenError> {
        let lane = |lane| JobLane {
            workers: Arc::new(Workers::new(lane, counts.of(lane), QUEUE_LIMITS)),
            refusals: RefusedJobs::default(),
        };
        let shared = Arc::new(Shared {
            name,
            connector,
            breaker: Breaker::default(),
            control: Control::default(),
            interactive: lane(Lane::Interactive),
            heavy: lane(Lane::Heavy),
            background: lane(Lane::Background),
            abandoned: AtomicUsize::new(0),
            most_abandoned: counts.total().saturating_mul(2),
            is_stopped: AtomicBool::new(false),
        });
        let executor = Self { shared };
        executor.start_threads(counts).map_err(OpenError::Thread)?;
        Ok(executor)
    }

    fn start_threads(&self, counts: WorkerCounts) -> Result<(), std::io::Error> {
        for lane in Lane::ALL {
            for _ in 0..counts.of(lane) {
                self.shared.enrol(lane)?;
            }
        }
        let (for_control, for_watch) = (self.shared.clone(), self.shared.clone());
        spawn(self.shared.name, move || control::work(&for_control, 0))?;
        spawn(self.shared.name, move || watch::work(&for_watch))
    }

    /// Does the work of the current task's lane and tenant on some worker's connection. `Err`: it was refused, or took too
    /// long. When the future is dropped, the work is cancelled.
    pub async fn run<T, F>(&self, work: F) -> Result<Result<T, JobError>, anyhow::Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut K::Connection) -> Result<T, JobError> + Send + 'static,
    {
        let Work { lane, tenant } = Work::current();
        let _span = span(self.shared.name, lane);
        let JobLane { workers, refusals } = self.shared.lane(lane);
        let tripped = self.shared.breaker.tripped();
        tokio::pin!(tripped);
        tripped.as_mut().enable();
        if self.shared.breaker.is_open() {
            refusals.breaker.fetch_add(1, Ordering::Relaxed);
            return Err(down());
        }
        let (waiting, ticket) = Waiting::begin(|ticket| self.shared.control.cancel(ticket));
        let (sender, answer) = oneshot::channel();
        let action = Box::new(move |connection: &mut K::Connection| {
            let (answer, may_keep) = attempt(|| work(connection));
            drop(sender.send(answer));
            may_keep
        });
        if workers.push(tenant, Job { ticket, action }) == Err(Full) {
            refusals.full.fetch_add(1, Ordering::Relaxed);
            waiting.ends();
            return Err(full(lane));
        }
        let answered = async {
            tokio::select! {
                biased;
                answered = answer => answered.unwrap_or_else(|_| Err(down())),
                () = tripped => Err(down()),
            }
        };
        match waiting.bounded(answered).await {
            Some(answered) => answered,
            None => {
                refusals.deadline.fetch_add(1, Ordering::Relaxed);
                Err(late(lane))
            }
        }
    }

    /// How the database is, found out beside all lanes, and soon.
    pub async fn check(&self) -> Result<(), HealthError> {
        if self.shared.breaker.is_open() {
            return Err(HealthError::Unreachable(down()));
        }
        match timeout(CHECK_LIMIT, self.shared.control.check()).await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) => Err(HealthError::Unreachable(down())),
            Err(_) => Err(HealthError::Unreachable(anyhow!("the database did not answer in {CHECK_LIMIT:?}"))),
        }
    }

    /// What each lane does and has done.
    pub fn stats(&self) -> Vec<LaneStats> {
        let of_lane = |lane| {
            let JobLane { workers, refusals } = self.shared.lane(lane);
            let snapshot = workers.snapshot();
            LaneStats {
                pool: self.shared.name,
                lane,
                queued: snapshot.queued,
                running: snapshot.running,
                workers: snapshot.workers,
                connections: snapshot.connections,
                done: snapshot.totals.done,
                waited: snapshot.totals.waited,
                worked: snapshot.totals.worked,
                refused_full: refusals.full.load(Ordering::Relaxed),
                refused_deadline: refusals.deadline.load(Ordering::Relaxed),
                refused_breaker: refusals.breaker.load(Ordering::Relaxed),
                abandoned: snapshot.totals.abandoned,
            }
        };
        Lane::ALL.into_iter().map(of_lane).collect()
    }
}

impl<K: Connector> Drop for Executor<K> {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Release);
        Lane::ALL.into_iter().for_each(|lane| self.shared.lane(lane).workers.stop());
        self.shared.control.stop();
    }
}

/// The span of a job in the trace of its request: waiting and work. It ends when it is dropped. Jobs of no request have none.
pub(crate) fn span(pool: &str, lane: Lane) -> tracing::Span {
    if tracing::Span::current().is_none() {
        return tracing::Span::none();
    }
    tracing::info_span!("database", otel.kind = "client", steward.pool = pool, steward.lane = lane.as_str())
}

/// Does a job; its answer, and whether its connection may be used again.
pub(crate) fn attempt<T>(
    work: impl FnOnce() -> Result<T, JobError>,
) -> (Result<Result<T, JobError>, anyhow::Error>, bool) {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Err(error)) if error.breaks_connection() => (Ok(Err(error)), false),
        Ok(result) => (Ok(result), true),
        Err(_) => (Err(anyhow!("a database job ended in a panic")), false),
    }
}

/// Somebody who waits for a job. Dropped before it has ended, it cancels the job.
pub(crate) struct Waiting<F: FnMut(Arc<Ticket>)> {
    ticket: Arc<Ticket>,
    began: Instant,
    limit: Duration,
    has_ended: bool,
    cancel: F,
}

impl<F: FnMut(Arc<Ticket>)> Waiting<F> {
    /// For as long as the current task may wait.
    pub(crate) fn begin(cancel: F) -> (Self, Arc<Ticket>) {
        let (began, limit) = (Instant::now(), Work::time_left());
        let ticket = Arc::new(Ticket::new(began, began + limit));
        (Self { ticket: ticket.clone(), began, limit, has_ended: false, cancel }, ticket)
    }

    /// Waits for the answer. `None`: it took too long.
    pub(crate) async fn bounded<T>(mut self, answered: impl Future<Output = T>) -> Option<T> {
        let answered = timeout(self.limit, answered).await.ok();
        Work::has_waited(self.began.elapsed());
        self.has_ended = answered.is_some();
        answered
    }

    /// There is nothing to wait for.
    pub(crate) fn ends(mut self) {
        self.has_ended = true;
    }
}

impl<F: FnMut(Arc<Ticket>)> Drop for Waiting<F> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.ticket.leave();
            (self.cancel)(self.ticket.clone());
        }
    }
}

fn down() -> anyhow::Error {
    anyhow!("the database does not answer")
}

/// The tenant has filled its line.
pub(crate) fn full(lane: Lane) -> anyhow::Error {
    anyhow!("too many jobs of this tenant wait for the {} lane", lane.as_str())
}

/// Its time is over.
pub(crate) fn late(lane: Lane) -> anyhow::Error {
    anyhow!("the database took too long for a job of the {} lane", lane.as_str())
}
