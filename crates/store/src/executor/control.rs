//! The control connection, which runs no jobs: it checks whether the database responds, and cancels abandoned jobs.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use steward_domain::ports::HealthError;
use tokio::sync::oneshot;

use super::ticket::Ticket;
use super::{ConnectionUse, Connector, OpenedConnection, Shared};

/// Delay between probes while the breaker is open.
const RETRY: Duration = Duration::from_millis(200);
/// Maximum number of queued cancellations. Further ones are dropped.
const MAX_CANCELS: usize = 1024;

type PingReply = oneshot::Sender<Result<(), HealthError>>;

#[derive(Default)]
struct State {
    cancels: VecDeque<Arc<Ticket>>,
    check_replies: Vec<PingReply>,
    is_probe_due: bool,
    busy_since: Option<Instant>,
    /// Number of times that a new thread replaced an abandoned one.
    generation: u64,
    is_stopped: bool,
}

/// Queue of tasks for the control thread.
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
    /// Requests a probe of the database after an error or a slow job.
    pub(super) fn request_probe(&self) {
        self.state().is_probe_due = true;
        self.wakes.notify_all();
    }

    /// Queues a cancellation of the job. It has no effect unless the job is running by then.
    pub(super) fn cancel(&self, ticket: Arc<Ticket>) {
        let mut state = self.state();
        if state.cancels.len() < MAX_CANCELS {
            state.cancels.push_back(ticket);
            self.wakes.notify_all();
        }
    }

    /// Requests a check of the database.
    pub(super) fn check(&self) -> oneshot::Receiver<Result<(), HealthError>> {
        let (sender, reply) = oneshot::channel();
        self.state().check_replies.push(sender);
        self.wakes.notify_all();
        reply
    }

    /// Returns how long the control thread has been busy with its current task.
    pub(super) fn busy_for(&self) -> Option<Duration> {
        self.state().busy_since.map(|since| since.elapsed())
    }

    /// Abandons the busy thread and returns the generation of its successor.
    pub(super) fn abandon(&self) -> u64 {
        let mut state = self.state();
        state.generation = state.generation.saturating_add(1);
        state.busy_since = None;
        state.generation
    }

    /// Wakes the control thread after a change of the breaker.
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
        let started = Instant::now();
        loop {
            if state.is_stopped || state.generation != generation {
                return Task::End;
            }
            let is_retry = is_open() && started.elapsed() >= RETRY;
            if is_retry || !state.check_replies.is_empty() || state.is_probe_due {
                state.is_probe_due = false;
                state.busy_since = Some(Instant::now());
                return Task::Check(std::mem::take(&mut state.check_replies));
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

/// Runs the control thread until it is stopped or abandoned.
pub(super) fn work<K: Connector>(shared: &Arc<Shared<K>>, generation: u64) {
    let mut current: Option<OpenedConnection<K::Connection>> = None;
    loop {
        match shared.control.next(generation, || shared.breaker.is_open()) {
            Task::Cancel(ticket) => cancel(shared, &mut current, &ticket),
            Task::Check(replies) => {
                let result = check(shared, &mut current);
                if shared.control.state().generation == generation {
                    shared.found(result.as_ref());
                }
                for reply in replies {
                    drop(reply.send(result.as_ref().copied().map_err(copy_of)));
                }
            }
            Task::End => break,
        }
    }
    if !shared.is_stopped() {
        shared.abandoned.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Copies the error for another caller.
fn copy_of(error: &HealthError) -> HealthError {
    match error {
        HealthError::Unreachable(cause) => HealthError::Unreachable(anyhow!("{cause:#}")),
        HealthError::ReadOnly => HealthError::ReadOnly,
    }
}

fn connection<'a, K: Connector>(
    shared: &Shared<K>,
    current: &'a mut Option<OpenedConnection<K::Connection>>,
) -> Result<&'a mut K::Connection, anyhow::Error> {
    let opened = match current.take() {
        Some(opened) => opened,
        None => shared.connector.connect(ConnectionUse::Control)?,
    };
    Ok(&mut current.insert(opened).connection)
}

/// Checks the database. If the existing connection reports an error, the check is repeated on a new connection: the
/// database may have moved to another server.
fn check<K: Connector>(
    shared: &Shared<K>,
    current: &mut Option<OpenedConnection<K::Connection>>,
) -> Result<(), HealthError> {
    let had_connection = current.is_some();
    let first = check_connection(shared, current);
    if first.is_ok() || !had_connection {
        return first;
    }
    let second = check_connection(shared, current);
    if second.is_ok() {
        shared.breaker.renew();
    }
    second
}

fn check_connection<K: Connector>(
    shared: &Shared<K>,
    current: &mut Option<OpenedConnection<K::Connection>>,
) -> Result<(), HealthError> {
    let connection = connection(shared, current).map_err(HealthError::Unreachable)?;
    let result = shared.connector.check(connection);
    if result.is_err() {
        *current = None;
    }
    result
}

fn cancel<K: Connector>(shared: &Shared<K>, current: &mut Option<OpenedConnection<K::Connection>>, ticket: &Ticket) {
    if !ticket.can_be_cancelled() || shared.breaker.is_open() {
        return;
    }
    let Ok(connection) = connection(shared, current) else { return shared.control.request_probe() };
    let mut failed = None;
    ticket.cancel(|backend| failed = shared.connector.cancel(connection, backend).err());
    if let Some(error) = failed {
        tracing::warn!(error = %format_args!("{error:#}"), "Unable to cancel an abandoned query.");
        *current = None;
    }
}
