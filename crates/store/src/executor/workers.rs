//! The workers of one pool and its queue of jobs.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use steward_domain::kernel::work::Tenant;
use steward_domain::kernel::{LaneStats, lock};

use super::connector::{Connector, Pool};
use super::refused_jobs::RefusedJobs;
use super::row_request;
use super::ticket::Ticket;
use crate::fair_queue::{FairQueue, Full, QueueLimits};

/// While a statement of row requests has run for less than this, no other connection runs one of the same kind: the
/// requests that arrive share the next statement, which is faster than a statement for each.
const COMBINING_TIME: Duration = Duration::from_millis(2);

/// Runs the job on a connection. Returns whether the connection can be reused.
pub(super) type Action<C> = Box<dyn FnOnce(&mut C) -> bool + Send>;

/// A queued job.
pub(super) struct Job<K: Connector> {
    pub ticket: Arc<Ticket>,
    pub work: JobWork<K>,
}

/// What a job runs.
pub(super) enum JobWork<K: Connector> {
    Action(Action<K::Connection>),
    Row(K::Row),
}

/// Jobs that run in one statement. A job that is not a row request is alone.
pub(super) type Group<K> = Vec<(Tenant, Job<K>)>;

/// Next action of a worker.
pub(super) enum WorkerAction<K: Connector> {
    Run(Group<K>),
    /// A job is queued, but the worker has no usable connection.
    Connect,
    /// The worker is no longer needed.
    End,
}

/// Current activity of a worker: jobs, or opening a connection for them.
struct Busy {
    since: Instant,
    jobs: Vec<(Tenant, Arc<Ticket>)>,
}

/// Counters of the pool since the start.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Totals {
    pub done: u64,
    pub groups: u64,
    pub waited: Duration,
    pub worked: Duration,
    pub abandoned: u64,
}

struct State<K: Connector> {
    queue: FairQueue<Tenant, Job<K>>,
    /// Workers by number; `None` for an idle worker.
    workers: HashMap<u64, Option<Busy>>,
    last_number: u64,
    connections: usize,
    /// Number of workers that wait for a job.
    idle: usize,
    /// [`COMBINING_TIME`], or zero if each job is a statement of its own.
    combining_time: Duration,
    /// Whether a worker waits until the statement of another one has run for `combining_time`.
    is_watched: bool,
    totals: Totals,
    is_stopped: bool,
}

/// Workers and queue of one pool.
pub(super) struct Workers<K: Connector> {
    pub pool: Pool,
    state: Mutex<State<K>>,
    wakes: Condvar,
    /// Wakes paused workers. They are not woken for new jobs.
    pauses: Condvar,
}

impl<K: Connector> Workers<K> {
    /// Creates a pool for at most `workers` workers. None is started yet.
    pub(super) fn new(pool: Pool, workers: usize, waiting: QueueLimits) -> Self {
        let (running, combining_time) = match pool {
            // One tenant leaves at least one worker to the others.
            Pool::Lane(_) | Pool::Writes => (workers.saturating_sub(1).max(1), Duration::ZERO),
            // A tenant's part of each statement is limited instead.
            Pool::RowReads | Pool::RowWrites => (usize::MAX, COMBINING_TIME),
        };
        let state = State {
            queue: FairQueue::new(QueueLimits { running, ..waiting }),
            workers: HashMap::new(),
            last_number: 0,
            connections: 0,
            idle: 0,
            combining_time,
            is_watched: false,
            totals: Totals::default(),
            is_stopped: false,
        };
        Self { pool, state: Mutex::new(state), wakes: Condvar::new(), pauses: Condvar::new() }
    }

    pub(super) fn push(&self, tenant: Tenant, job: Job<K>) -> Result<(), Full> {
        let mut state = lock(&self.state);
        state.queue.push(tenant, job)?;
        if state.idle > 0 && !(state.is_watched && state.combining_time_left().is_some()) {
            self.wakes.notify_one();
        }
        Ok(())
    }

    /// Registers a worker and returns its number.
    pub(super) fn register(&self) -> u64 {
        let mut state = lock(&self.state);
        state.last_number += 1;
        let number = state.last_number;
        state.workers.insert(number, None);
        number
    }

    /// Waits for the next action. `is_fresh` returns whether the worker's connection can be used without a check.
    pub(super) fn next(&self, worker: u64, is_fresh: impl Fn() -> bool) -> WorkerAction<K> {
        let mut state = lock(&self.state);
        loop {
            if state.is_stopped || !state.workers.contains_key(&worker) {
                return WorkerAction::End;
            }
            let mut pause = None;
            if state.queue.has_next() {
                pause = state.combining_time_left();
                if pause.is_none() {
                    let since = Instant::now();
                    if !is_fresh() {
                        state.workers.insert(worker, Some(Busy { since, jobs: Vec::new() }));
                        return WorkerAction::Connect;
                    }
                    if let Some(group) = state.next_group(since) {
                        let jobs = group.iter().map(|(tenant, job)| (*tenant, job.ticket.clone())).collect();
                        state.workers.insert(worker, Some(Busy { since, jobs }));
                        if state.idle > 0 && state.queue.has_next() && !state.is_watched {
                            self.wakes.notify_one();
                        }
                        return WorkerAction::Run(group);
                    }
                }
            }
            state.workers.insert(worker, None);
            state.idle += 1;
            state = match pause {
                // One worker is enough to notice that the statement takes long.
                Some(pause) if !state.is_watched => {
                    state.is_watched = true;
                    let mut state = self.wakes.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
                    state.is_watched = false;
                    state
                }
                _ => self.wakes.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
            state.idle = state.idle.saturating_sub(1);
        }
    }

    /// Marks the worker's jobs as finished. Returns `false` if the worker was abandoned in the meantime and must end.
    pub(super) fn finish(&self, worker: u64) -> bool {
        let mut state = lock(&self.state);
        let Some(busy) = state.workers.get_mut(&worker).and_then(Option::take) else { return false };
        let done = u64::try_from(busy.jobs.len()).unwrap_or(u64::MAX);
        state.totals.done = state.totals.done.saturating_add(done);
        state.totals.groups += 1;
        state.totals.worked += busy.since.elapsed();
        busy.jobs.into_iter().for_each(|(tenant, _)| state.queue.done(tenant));
        if state.idle > 0 && state.queue.has_next() && matches!(self.pool, Pool::Lane(_) | Pool::Writes) {
            // A tenant that was at its limit of running jobs may now run another.
            self.wakes.notify_one();
        }
        true
    }

    /// Hands the work to other workers because this one failed to connect, then pauses it.
    pub(super) fn hand_over(&self, worker: u64, pause: Duration) {
        let mut state = lock(&self.state);
        if let Some(busy) = state.workers.get_mut(&worker) {
            *busy = None;
        }
        self.wakes.notify_one();
        let deadline = Instant::now() + pause;
        while !state.is_stopped {
            let remaining = deadline.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return;
            }
            state = self.pauses.wait_timeout(state, remaining).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn connected(&self, is_connected: bool) {
        let mut state = lock(&self.state);
        let count = state.connections;
        state.connections = if is_connected { count.saturating_add(1) } else { count.saturating_sub(1) };
    }

    /// Refuses all queued jobs by dropping their senders.
    pub(super) fn drain(&self) {
        let drained = lock(&self.state).queue.drain();
        drop(drained);
    }

    /// Returns the longest time that any worker has been busy.
    pub(super) fn longest_busy(&self) -> Option<Duration> {
        lock(&self.state).workers.values().flatten().map(|busy| busy.since.elapsed()).max()
    }

    /// Returns the running jobs that no caller waits for.
    pub(super) fn abandoned_jobs(&self) -> Vec<Arc<Ticket>> {
        let state = lock(&self.state);
        let tickets = state.workers.values().flatten().flat_map(|busy| &busy.jobs);
        tickets.filter(|(_, ticket)| !ticket.is_wanted()).map(|(_, ticket)| ticket.clone()).collect()
    }

    /// Abandons up to `max_workers` workers that have been busy for longer than `limit`. Returns the number of
    /// abandoned workers.
    pub(super) fn abandon(&self, limit: Duration, max_workers: usize) -> usize {
        let mut state = lock(&self.state);
        let stuck = state.workers.iter().filter(|(_, busy)| busy.as_ref().is_some_and(|b| b.since.elapsed() > limit));
        let stuck: Vec<u64> = stuck.map(|(number, _)| *number).take(max_workers).collect();
        for number in &stuck {
            let jobs = state.workers.remove(number).flatten().map(|busy| busy.jobs).unwrap_or_default();
            for (tenant, ticket) in jobs {
                ticket.leave();
                state.queue.done(tenant);
            }
            state.totals.abandoned += 1;
        }
        stuck.len()
    }

    /// Stops all workers after their current jobs and refuses queued jobs.
    pub(super) fn stop(&self) {
        lock(&self.state).is_stopped = true;
        self.drain();
        self.wakes.notify_all();
        self.pauses.notify_all();
    }

    /// Returns the current state and the counters. `name` is that of the executor.
    pub(super) fn stats(&self, name: &'static str, refusals: &RefusedJobs) -> LaneStats {
        let state = lock(&self.state);
        LaneStats {
            pool: match self.pool {
                Pool::Lane(_) => name,
                Pool::Writes => "writes",
                Pool::RowReads => "row-reads",
                Pool::RowWrites => "row-writes",
            },
            lane: self.pool.lane(),
            queued: state.queue.len(),
            running: state.workers.values().flatten().map(|busy| busy.jobs.len()).sum(),
            workers: state.workers.len(),
            connections: state.connections,
            done: state.totals.done,
            statements: state.totals.groups,
            waited: state.totals.waited,
            worked: state.totals.worked,
            refused_full: refusals.full.load(Ordering::Relaxed),
            refused_deadline: refusals.deadline.load(Ordering::Relaxed),
            refused_breaker: refusals.breaker.load(Ordering::Relaxed),
            abandoned: state.totals.abandoned,
        }
    }
}

impl<K: Connector> State<K> {
    /// Returns the next job, and those that can run in one statement with it.
    fn next_group(&mut self, now: Instant) -> Option<Group<K>> {
        let mut group = vec![self.queue.next()?];
        if let [(_, Job { work: JobWork::Row(_), .. })] = group.as_slice() {
            self.queue.join(&mut group, |group, tenant, job| {
                let JobWork::Row(request) = &job.work else { return false };
                group.len() < row_request::MAX_REQUESTS
                    && row_request::fits(group.iter().filter_map(of_row), tenant, request)
            });
        }
        for (_, job) in &group {
            self.totals.waited += now.saturating_duration_since(job.ticket.queued_at());
            job.ticket.set_group_size(group.len());
        }
        Some(group)
    }

    /// Returns how long queued row requests should wait for a running statement, so that they share the next one.
    /// `None` if none is running or the last one takes long.
    fn combining_time_left(&self) -> Option<Duration> {
        if self.combining_time.is_zero() {
            return None;
        }
        let statements = self.workers.values().flatten().filter(|busy| !busy.jobs.is_empty());
        let youngest = statements.map(|busy| busy.since).max()?;
        self.combining_time.checked_sub(youngest.elapsed()).filter(|left| !left.is_zero())
    }
}

fn of_row<K: Connector>((tenant, job): &(Tenant, Job<K>)) -> Option<(&Tenant, &K::Row)> {
    match &job.work {
        JobWork::Row(request) => Some((tenant, request)),
        JobWork::Action(_) => None,
    }
}
