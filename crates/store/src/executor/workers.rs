//! The workers of one lane, and the jobs that wait for them.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use steward_domain::policy::Lane;
use steward_domain::work::Tenant;

use super::ticket::Ticket;
use crate::fair_queue::{FairQueue, Full, QueueLimits};

/// Does the work on a connection; whether the connection may be used again.
pub(super) type Action<C> = Box<dyn FnOnce(&mut C) -> bool + Send>;

/// A job as it waits.
pub(super) struct Job<C> {
    pub ticket: Arc<Ticket>,
    pub action: Action<C>,
}

/// What a worker does next.
pub(super) enum WorkerAction<C> {
    Run(Tenant, Job<C>),
    /// A job waits, and the worker has no connection that it could be given.
    Connect,
    /// The worker is not needed any more.
    End,
}

/// What a worker is busy with: a job, or making a connection for one.
struct Busy {
    since: Instant,
    job: Option<(Tenant, Arc<Ticket>)>,
}

/// What the lane has done since the start.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Totals {
    pub done: u64,
    pub waited: Duration,
    pub worked: Duration,
    pub abandoned: u64,
}

struct State<C> {
    queue: FairQueue<Tenant, Job<C>>,
    /// The workers by number, and what each is busy with.
    workers: HashMap<u64, Option<Busy>>,
    last_number: u64,
    connections: usize,
    totals: Totals,
    is_stopped: bool,
}

/// One lane.
pub(super) struct Workers<C> {
    pub lane: Lane,
    state: Mutex<State<C>>,
    wakes: Condvar,
    /// For those who pause: they are not woken for work.
    pauses: Condvar,
}

/// How a lane is right now.
pub(super) struct Snapshot {
    pub queued: usize,
    pub running: usize,
    pub workers: usize,
    pub connections: usize,
    pub totals: Totals,
}

impl<C> Workers<C> {
    /// Nobody works yet; at most this many will.
    pub(super) fn new(lane: Lane, workers: usize, waiting: QueueLimits) -> Self {
        // One tenant leaves a worker to the others.
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

    /// Notes one more worker; its number.
    pub(super) fn enrol(&self) -> u64 {
        let mut state = self.state();
        state.last_number = state.last_number.saturating_add(1);
        let number = state.last_number;
        state.workers.insert(number, None);
        number
    }

    /// Waits for something to do. `is_fresh` says whether the worker's connection can be used as it is.
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

    /// The worker's job has ended. `false`: the worker was abandoned meanwhile, and ends.
    pub(super) fn finished(&self, worker: u64, tenant: Tenant) -> bool {
        let mut state = self.state();
        let Some(busy) = state.workers.get_mut(&worker).and_then(Option::take) else { return false };
        state.totals.done = state.totals.done.saturating_add(1);
        state.totals.worked += busy.since.elapsed();
        state.queue.done(tenant);
        if state.queue.has_next() {
            // A line that had enough running may go on.
            self.wakes.notify_one();
        }
        true
    }

    /// The worker could not connect: others may have a connection. It waits a while itself.
    pub(super) fn pass_on(&self, worker: u64, pause: Duration) {
        let mut state = self.state();
        if let Some(busy) = state.workers.get_mut(&worker) {
            *busy = None;
        }
        self.wakes.notify_one();
        let until = Instant::now() + pause;
        while !state.is_stopped {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.pauses.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn connected(&self, is_connected: bool) {
        let mut state = self.state();
        let count = state.connections;
        state.connections = if is_connected { count.saturating_add(1) } else { count.saturating_sub(1) };
    }

    /// Refuses all jobs that wait: who waits for them finds their sender gone.
    pub(super) fn drain(&self) {
        let drained = self.state().queue.drain();
        drop(drained);
    }

    /// For how long the worker that is busy for longest is.
    pub(super) fn longest(&self) -> Option<Duration> {
        self.state().workers.values().flatten().map(|busy| busy.since.elapsed()).max()
    }

    /// The jobs that run and are not wanted any more.
    pub(super) fn unwanted(&self) -> Vec<Arc<Ticket>> {
        let state = self.state();
        let tickets = state.workers.values().flatten().filter_map(|busy| busy.job.as_ref());
        tickets.filter(|(_, ticket)| !ticket.is_wanted()).map(|(_, ticket)| ticket.clone()).collect()
    }

    /// Gives up on workers that are busy for longer than this, at most this many. How many it gave up on.
    pub(super) fn abandon(&self, limit: Duration, most: usize) -> usize {
        let mut state = self.state();
        let stuck = state.workers.iter().filter(|(_, busy)| busy.as_ref().is_some_and(|b| b.since.elapsed() > limit));
        let stuck: Vec<u64> = stuck.map(|(number, _)| *number).take(most).collect();
        for number in &stuck {
            if let Some(Some(Busy { job: Some((tenant, ticket)), .. })) = state.workers.remove(number) {
                ticket.leave();
                state.queue.done(tenant);
            }
            state.totals.abandoned = state.totals.abandoned.saturating_add(1);
        }
        stuck.len()
    }

    /// All workers end once they have done what they do; what waits is refused.
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
