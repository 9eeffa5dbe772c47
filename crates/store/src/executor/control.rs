//! The tasks of the control thread.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use steward_domain::kernel::{HealthError, lock};
use tokio::sync::oneshot;

use super::ticket::Ticket;

/// Delay between probes while the database is disturbed.
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

pub(super) enum Task {
    Cancel(Arc<Ticket>),
    Check(Vec<PingReply>),
    End,
}

impl Control {
    /// Requests a probe of the database after an error or a slow job.
    pub(super) fn request_probe(&self) {
        lock(&self.state).is_probe_due = true;
        self.wakes.notify_all();
    }

    /// Queues a cancellation of the job. It has no effect unless the job is running by then.
    pub(super) fn cancel(&self, ticket: Arc<Ticket>) {
        let mut state = lock(&self.state);
        if state.cancels.len() < MAX_CANCELS {
            state.cancels.push_back(ticket);
            self.wakes.notify_all();
        }
    }

    /// Requests a check of the database.
    pub(super) fn check(&self) -> oneshot::Receiver<Result<(), HealthError>> {
        let (sender, reply) = oneshot::channel();
        lock(&self.state).check_replies.push(sender);
        self.wakes.notify_all();
        reply
    }

    /// Returns how long the control thread has been busy with its current task.
    pub(super) fn busy_for(&self) -> Option<Duration> {
        lock(&self.state).busy_since.map(|since| since.elapsed())
    }

    /// Abandons the busy thread and returns the generation of its successor.
    pub(super) fn abandon(&self) -> u64 {
        let mut state = lock(&self.state);
        state.generation += 1;
        state.busy_since = None;
        state.generation
    }

    /// Wakes the control thread after a change of the breaker.
    pub(super) fn wake(&self) {
        self.wakes.notify_all();
    }

    pub(super) fn stop(&self) {
        lock(&self.state).is_stopped = true;
        self.wakes.notify_all();
    }

    /// Returns whether no successor replaced the thread of a generation.
    pub(super) fn is_current(&self, generation: u64) -> bool {
        lock(&self.state).generation == generation
    }

    /// Waits for the next task of the thread of a generation. A disturbed database is checked regularly.
    pub(super) fn next(&self, generation: u64, is_disturbed: impl Fn() -> bool) -> Task {
        let mut state = lock(&self.state);
        if state.generation != generation {
            return Task::End;
        }
        state.busy_since = None;
        let started = Instant::now();
        loop {
            if state.is_stopped || state.generation != generation {
                return Task::End;
            }
            let is_retry = is_disturbed() && started.elapsed() >= RETRY;
            if is_retry || !state.check_replies.is_empty() || state.is_probe_due {
                state.is_probe_due = false;
                state.busy_since = Some(Instant::now());
                return Task::Check(std::mem::take(&mut state.check_replies));
            }
            if let Some(ticket) = state.cancels.pop_front() {
                state.busy_since = Some(Instant::now());
                return Task::Cancel(ticket);
            }
            state = if is_disturbed() {
                self.wakes.wait_timeout(state, RETRY).unwrap_or_else(PoisonError::into_inner).0
            } else {
                self.wakes.wait(state).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }
}
