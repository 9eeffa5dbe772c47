//! What is known of one job from the moment somebody waits for it until it has ended: whether it is still wanted, and which
//! process of the database works on it, so that it can be cancelled there.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Queued,
    /// Running on a connection to this process of the database, where there is such a thing.
    Running(Option<i32>),
    Cancelled(i32),
    Ended,
}

/// One job.
#[derive(Debug)]
pub(crate) struct Ticket {
    deadline: Instant,
    queued_at: Instant,
    is_left: AtomicBool,
    stage: Mutex<Stage>,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Ticket>>> = const { RefCell::new(None) };
}

impl Ticket {
    pub(crate) fn new(queued_at: Instant, deadline: Instant) -> Self {
        Self { deadline, queued_at, is_left: AtomicBool::new(false), stage: Mutex::new(Stage::Queued) }
    }

    pub(crate) fn queued_at(&self) -> Instant {
        self.queued_at
    }

    /// Whether somebody still waits for it, and may.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.is_left.load(Ordering::Relaxed) && Instant::now() < self.deadline
    }

    /// Nobody waits for it any more.
    pub(crate) fn leave(&self) {
        self.is_left.store(true, Ordering::Relaxed);
    }

    /// It runs from now on. `false`: it is not wanted any more, so it does not.
    pub(crate) fn begin(&self, backend: Option<i32>) -> bool {
        let mut stage = self.stage();
        let begins = self.is_wanted();
        *stage = if begins { Stage::Running(backend) } else { Stage::Ended };
        begins
    }

    /// It has ended; whether it was cancelled. A cancellation under way is waited for: afterwards none will be sent.
    pub(crate) fn end(&self) -> bool {
        let stage = std::mem::replace(&mut *self.stage(), Stage::Ended);
        matches!(stage, Stage::Cancelled(_))
    }

    /// Whether it runs on a process of the database that can be told to stop.
    pub(crate) fn can_be_cancelled(&self) -> bool {
        matches!(*self.stage(), Stage::Running(Some(_)) | Stage::Cancelled(_))
    }

    /// Cancels it, if it still runs. It does not end, and its connection serves no other job, until `cancel` returns: so the
    /// signal hits this job or nothing.
    pub(crate) fn cancel(&self, cancel: impl FnOnce(i32)) {
        let mut stage = self.stage();
        if let Stage::Running(Some(backend)) | Stage::Cancelled(backend) = *stage {
            *stage = Stage::Cancelled(backend);
            cancel(backend);
        }
    }

    fn stage(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does something as the job of this ticket: see [`still_wanted`].
pub(crate) fn as_job<T>(ticket: &Arc<Ticket>, action: impl FnOnce() -> T) -> T {
    let before = CURRENT.replace(Some(ticket.clone()));
    let result = action();
    CURRENT.set(before);
    result
}

/// Whether the job that runs on this thread is still wanted. Long loops, and statements that look at many rows, ask for it
/// as they go.
pub(crate) fn still_wanted() -> bool {
    CURRENT.with_borrow(|ticket| ticket.as_ref().is_none_or(|ticket| ticket.is_wanted()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ticket() -> Arc<Ticket> {
        Arc::new(Ticket::new(Instant::now(), Instant::now() + Duration::from_secs(60)))
    }

    #[test]
    fn a_job_that_ended_is_not_cancelled_any_more() {
        let ticket = ticket();
        assert!(ticket.begin(Some(7)) && ticket.can_be_cancelled());
        assert!(!ticket.end());
        ticket.cancel(|_| panic!("it has ended"));
    }

    #[test]
    fn a_cancelled_job_says_so_when_it_ends() {
        let (ticket, mut cancelled) = (ticket(), None);
        ticket.begin(Some(7));
        ticket.cancel(|backend| cancelled = Some(backend));
        assert_eq!(cancelled, Some(7));
        assert!(ticket.end());
    }

    #[test]
    fn a_job_that_was_left_does_not_begin_and_one_that_runs_notices() {
        let (left, running) = (ticket(), ticket());
        left.leave();
        assert!(!left.begin(None));
        assert!(running.begin(None));
        as_job(&running, || {
            assert!(still_wanted());
            running.leave();
            assert!(!still_wanted());
        });
        assert!(still_wanted(), "outside of a job everything is wanted");
    }
}
