//! The workers of one lane and its queue of jobs.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use steward_domain::policy::Lane;
use steward_domain::work::Tenant;

use super::ticket::Ticket;
use crate::fair_queue::{FairQueue, Full, QueueLimits};

/// Runs the job on a connection. Returns whether the connection can be reused.
pub(super) type Action<C> = Box<dyn FnOnce(&mut C) -> bool + Send>;

/// A queued job.
pub(super) struct Job<C> {
    pub ticket: Arc<Ticket>,
    pub action: Action<C>,
}

/// Next action of a worker.
pub(super) enum WorkerAction<C> {
    Run(Tenant, Job<C>),
    /// A job is queued, but the worker has no usable connection.
    Connect,
    /// The worker is no longer needed.
    End,
}

/// Current activity of a worker: a job, or opening a connection for one.
struct Busy {
    since: Instant,
    job: Option<(Tenant, Arc<Ticket>)>,
}

/// Counters of the lane since the start.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Totals {
    pub done: u64,
    pub waited: Duration,
    pub worked: Duration,
    pub abandoned: u64,
}

struct State<C> {
    queue: FairQueue<Tenant, Job<C>>,
    /// Workers by number; `None` for an idle worker.
    workers: HashMap<u64, Option<Busy>>,
    last_number: u64,
    connections: usize,
    totals: Totals,
    is_stopped: bool,
}

/// Workers and queue of one lane.
pub(super) struct Workers<C> {
    pub lane: Lane,
    state: Mutex<State<C>>,
    wakes: Condvar,
    /// Wakes paused workers. They are not woken for new jobs.
    pauses: Condvar,
}

/// Current state of a lane.
pub(super) struct Snapshot {
    pub queued: usize,
    pub running: usize,
    pub workers: usize,
    pub connections: usize,
    pub totals: Totals,
}

impl<C> Workers<C> {
    /// Creates a lane for at most `workers` workers. None is started yet.
    pub(super) fn new(lane: Lane, workers: usize, waiting: QueueLimits) -> Self {
        // One tenant leaves at least one worker to the others.
        let running = workers.saturating_sub(1).max(1);
        let state = State {
            queue: FairQueue::new(QueueLimits { running, ..waiting }),
            workers: HashMap::new(),
            last_number: 0,
            connections: 0,
            totals: Totals::default(),
            is_stopped: false,
        };
        Self { lane, state: Mutex::new(state), wakes: Condvar::new(), pauses: Condvar::new() }
    }

    pub(super) fn push(&self, tenant: Tenant, job: Job<C>) -> Result<(), Full> {
        self.state().queue.push(tenant, job)?;
        self.wakes.notify_one();
        Ok(())
    }

    /// Registers a worker and returns its number.
    pub(super) fn register(&self) -> u64 {
        let mut state = self.state();
        state.last_number = state.last_number.saturating_add(1);
        let number = state.last_number;
        state.workers.insert(number, None);
        number
    }

    /// Waits for the next action. `is_fresh` returns whether the worker's connection can be used without a check.
    pub(super) fn next(&self, worker: u64, is_fresh: impl Fn() -> bool) -> WorkerAction<C> {
        let mut state = self.state();
        loop {
            if state.is_stopped || !state.workers.contains_key(&worker) {
                return WorkerAction::End;
            }
            if state.queue.has_next() {
                let since = Instant::now();
                if !is_fresh() {
                    state.workers.insert(worker, Some(Busy { since, job: None }));
                    return WorkerAction::Connect;
                }
                if let Some((tenant, job)) = state.queue.next() {
                    state.totals.waited += since.saturating_duration_since(job.ticket.queued_at());
                    let busy = Busy { since, job: Some((tenant, job.ticket.clone())) };
                    state.workers.insert(worker, Some(busy));
                    return WorkerAction::Run(tenant, job);
                }
            }
            state.workers.insert(worker, None);
            state = self.wakes.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Marks the worker's job as finished. Returns `false` if the worker was abandoned in the meantime and must end.
    pub(super) fn finish(&self, worker: u64, tenant: Tenant) -> bool {
        let mut state = self.state();
        let Some(busy) = state.workers.get_mut(&worker).and_then(Option::take) else { return false };
        state.totals.done = state.totals.done.saturating_add(1);
        state.totals.worked += busy.since.elapsed();
        state.queue.done(tenant);
        if state.queue.has_next() {
            // A tenant that was at its limit of running jobs may now run another.
            self.wakes.notify_one();
        }
        true
    }

    /// Hands the work to other workers because this one failed to connect, then pauses it.
    pub(super) fn hand_over(&self, worker: u64, pause: Duration) {
        let mut state = self.state();
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
        let mut state = self.state();
        let count = state.connections;
        state.connections = if is_connected { count.saturating_add(1) } else { count.saturating_sub(1) };
    }

    /// Refuses all queued jobs by dropping their senders.
    pub(super) fn drain(&self) {
        let drained = self.state().queue.drain();
        drop(drained);
    }

    /// Returns the longest time that any worker has been busy.
    pub(super) fn longest_busy(&self) -> Option<Duration> {
        self.state().workers.values().flatten().map(|busy| busy.since.elapsed()).max()
    }

    /// Returns the running jobs that no caller waits for.
    pub(super) fn abandoned_jobs(&self) -> Vec<Arc<Ticket>> {
        let state = self.state();
        let tickets = state.workers.values().flatten().filter_map(|busy| busy.job.as_ref());
        tickets.filter(|(_, ticket)| !ticket.is_wanted()).map(|(_, ticket)| ticket.clone()).collect()
    }

    /// Abandons up to `max_workers` workers that have been busy for longer than `limit`. Returns the number of
    /// abandoned workers.
    pub(super) fn abandon(&self, limit: Duration, max_workers: usize) -> usize {
        let mut state = self.state();
        let stuck = state.workers.iter().filter(|(_, busy)| busy.as_ref().is_some_and(|b| b.since.elapsed() > limit));
        let stuck: Vec<u64> = stuck.map(|(number, _)| *number).take(max_workers).collect();
        for number in &stuck {
            if let Some(Some(Busy { job: Some((tenant, ticket)), .. })) = state.workers.remove(number) {
                ticket.leave();
                state.queue.done(tenant);
            }
            state.totals.abandoned = state.totals.abandoned.saturating_add(1);
        }
        stuck.len()
    }

    /// Stops all workers after their current jobs and refuses queued jobs.
    pub(super) fn stop(&self) {
        self.state().is_stopped = true;
        self.drain();
        self.wakes.notify_all();
        self.pauses.notify_all();
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let state = self.state();
        Snapshot {
            queued: state.queue.len(),
            running: state.workers.values().flatten().filter(|busy| busy.job.is_some()).count(),
            workers: state.workers.len(),
            connections: state.connections,
            totals: state.totals,
        }
    }

    fn state(&self) -> MutexGuard<'_, State<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
