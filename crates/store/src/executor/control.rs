//! The one connection that does no jobs: it finds out whether the database answers, and cancels jobs that nobody waits for.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use steward_domain::ports::HealthError;
use tokio::sync::oneshot;

use super::ticket::Ticket;
use super::{ConnectionUse, Connector, OpenedConnection, Shared};

/// While the breaker is open, how long after a failed probe the next begins.
const RETRY: Duration = Duration::from_millis(200);
/// How many cancellations may wait.
const MAX_CANCELS: usize = 1024;

type PingReply = oneshot::Sender<Result<(), HealthError>>;

#[derive(Default)]
struct State {
    cancels: VecDeque<Arc<Ticket>>,
    asked: Vec<PingReply>,
    is_probe_due: bool,
    busy_since: Option<Instant>,
    /// Counts the threads that took this over, each from one that was abandoned.
    generation: u64,
    is_stopped: bool,
}

/// What the control thread is asked to do.
#[derive(Default)]
pub(super) struct Control {
    state: Mutex<State>,
    wakes: Condvar,
}

enum Task {
    Cancel(Arc<Ticket>),
    Check(Vec<PingReply>),
    End,
}

impl Control {
    /// Something went wrong or takes long: find out whether the database answers.
    pub(super) fn request_probe(&self) {
        self.state().is_probe_due = true;
        self.wakes.notify_all();
    }

    /// Cancels the job, if it runs by then.
    pub(super) fn cancel(&self, ticket: Arc<Ticket>) {
        let mut state = self.state();
        if state.cancels.len() < MAX_CANCELS {
            state.cancels.push_back(ticket);
            self.wakes.notify_all();
        }
    }

    /// How the database is.
    pub(super) fn check(&self) -> oneshot::Receiver<Result<(), HealthError>> {
        let (sender, answer) = oneshot::channel();
        self.state().asked.push(sender);
        self.wakes.notify_all();
        answer
    }

    /// For how long it has been busy with one thing.
    pub(super) fn busy_for(&self) -> Option<Duration> {
        self.state().busy_since.map(|since| since.elapsed())
    }

    /// Gives up on the thread that is busy; the generation of the one that follows it.
    pub(super) fn abandon(&self) -> u64 {
        let mut state = self.state();
        state.generation = state.generation.saturating_add(1);
        state.busy_since = None;
        state.generation
    }

    /// The breaker has changed.
    pub(super) fn wake(&self) {
        self.wakes.notify_all();
    }

    pub(super) fn stop(&self) {
        self.state().is_stopped = true;
        self.wakes.notify_all();
    }

    fn next(&self, generation: u64, is_open: impl Fn() -> bool) -> Task {
        let mut state = self.state();
        if state.generation != generation {
            return Task::End;
        }
        state.busy_since = None;
        let began = Instant::now();
        loop {
            if state.is_stopped || state.generation != generation {
                return Task::End;
            }
            let is_retry = is_open() && began.elapsed() >= RETRY;
            if is_retry || !state.asked.is_empty() || state.is_probe_due {
                state.is_probe_due = false;
                state.busy_since = Some(Instant::now());
                return Task::Check(std::mem::take(&mut state.asked));
            }
            if let Some(ticket) = state.cancels.pop_front() {
                state.busy_since = Some(Instant::now());
                return Task::Cancel(ticket);
            }
            state = if is_open() {
                self.wakes.wait_timeout(state, RETRY).unwrap_or_else(PoisonError::into_inner).0
            } else {
                self.wakes.wait(state).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Works until it is stopped or abandoned.
pub(super) fn work<K: Connector>(shared: &Arc<Shared<K>>, generation: u64) {
    let mut kept: Option<OpenedConnection<K::Connection>> = None;
    loop {
        match shared.control.next(generation, || shared.breaker.is_open()) {
            Task::Cancel(ticket) => cancel(shared, &mut kept, &ticket),
            Task::Check(asked) => {
                let found = check(shared, &mut kept);
                if shared.control.state().generation == generation {
                    shared.found(found.as_ref());
                }
                for asked in asked {
                    drop(asked.send(found.as_ref().copied().map_err(same)));
                }
            }
            Task::End => break,
        }
    }
    if !shared.is_stopped() {
        shared.abandoned.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The same finding, for one more who asked.
fn same(error: &HealthError) -> HealthError {
    match error {
        HealthError::Unreachable(cause) => HealthError::Unreachable(anyhow!("{cause:#}")),
        HealthError::ReadOnly => HealthError::ReadOnly,
    }
}

fn connection<'a, K: Connector>(
    shared: &Shared<K>,
    kept: &'a mut Option<OpenedConnection<K::Connection>>,
) -> Result<&'a mut K::Connection, anyhow::Error> {
    let opened = match kept.take() {
        Some(opened) => opened,
        None => shared.connector.connect(ConnectionUse::Control)?,
    };
    Ok(&mut kept.insert(opened).connection)
}

/// How the database is. What the connection from before reports is believed only if it is good news: the database may have
/// moved.
fn check<K: Connector>(
    shared: &Shared<K>,
    kept: &mut Option<OpenedConnection<K::Connection>>,
) -> Result<(), HealthError> {
    let had_connection = kept.is_some();
    let first = once(shared, kept);
    if first.is_ok() || !had_connection {
        return first;
    }
    let second = once(shared, kept);
    if second.is_ok() {
        shared.breaker.renew();
    }
    second
}

fn once<K: Connector>(
    shared: &Shared<K>,
    kept: &mut Option<OpenedConnection<K::Connection>>,
) -> Result<(), HealthError> {
    let connection = connection(shared, kept).map_err(HealthError::Unreachable)?;
    let found = shared.connector.check(connection);
    if found.is_err() {
        *kept = None;
    }
    found
}

fn cancel<K: Connector>(shared: &Shared<K>, kept: &mut Option<OpenedConnection<K::Connection>>, ticket: &Ticket) {
    if !ticket.can_be_cancelled() || shared.breaker.is_open() {
        return;
    }
    let Ok(connection) = connection(shared, kept) else { return shared.control.request_probe() };
    let mut failed = None;
    ticket.cancel(|backend| failed = shared.connector.cancel(connection, backend).err());
    if let Some(error) = failed {
        tracing::warn!(error = %format_args!("{error:#}"), "a query that nobody waits for could not be cancelled");
        *kept = None;
    }
}
