//! State of one job from submission to completion: whether a caller still waits for it, and which backend process of
//! the database runs it, so that it can be cancelled there.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use steward_domain::kernel::lock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Queued,
    /// Running on a connection to this backend process; `None` if the database has no such process.
    Running(Option<i32>),
    Cancelled(i32),
    Ended,
}

/// State of one job.
#[derive(Debug)]
pub(crate) struct Ticket {
    deadline: Instant,
    queued_at: Instant,
    is_abandoned: AtomicBool,
    has_begun: AtomicBool,
    was_cancelled: AtomicBool,
    /// Number of jobs that the last statement ran together, including this one.
    group_size: AtomicUsize,
    stage: Mutex<Stage>,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Ticket>>> = const { RefCell::new(None) };
}

impl Ticket {
    pub(crate) fn new(queued_at: Instant, deadline: Instant) -> Self {
        Self {
            deadline,
            queued_at,
            is_abandoned: AtomicBool::new(false),
            has_begun: AtomicBool::new(false),
            was_cancelled: AtomicBool::new(false),
            group_size: AtomicUsize::new(1),
            stage: Mutex::new(Stage::Queued),
        }
    }

    pub(crate) fn queued_at(&self) -> Instant {
        self.queued_at
    }

    /// Returns whether a caller still waits for the job and its deadline has not passed.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.is_abandoned.load(Ordering::Relaxed) && Instant::now() < self.deadline
    }

    pub(crate) fn set_group_size(&self, size: usize) {
        self.group_size.store(size, Ordering::Relaxed);
    }

    pub(crate) fn group_size(&self) -> usize {
        self.group_size.load(Ordering::Relaxed)
    }

    /// Marks the job as abandoned by its caller.
    pub(crate) fn leave(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
    }

    /// Marks the job as running. Returns `false` if it was abandoned or is too late and must not run.
    pub(crate) fn begin(&self, backend: Option<i32>) -> bool {
        let mut stage = lock(&self.stage);
        let is_wanted = self.is_wanted();
        *stage = if is_wanted { Stage::Running(backend) } else { Stage::Ended };
        self.has_begun.fetch_or(is_wanted, Ordering::Relaxed);
        is_wanted
    }

    /// Returns whether the job has been started. It is not started any more after [`Ticket::leave`].
    pub(crate) fn has_begun(&self) -> bool {
        // A job that is being started is waited for.
        let _stage = lock(&self.stage);
        self.has_begun.load(Ordering::Relaxed)
    }

    /// Marks the job as ended. Returns whether it was cancelled. Waits for a cancellation in progress; none is sent
    /// afterwards.
    pub(crate) fn end(&self) -> bool {
        let stage = std::mem::replace(&mut *lock(&self.stage), Stage::Ended);
        matches!(stage, Stage::Cancelled(_))
    }

    /// Returns whether the job runs on a backend process that can be cancelled.
    pub(crate) fn can_be_cancelled(&self) -> bool {
        matches!(*lock(&self.stage), Stage::Running(Some(_)) | Stage::Cancelled(_))
    }

    /// Cancels the job if it still runs. The job does not end, and its connection serves no other job, until `cancel`
    /// returns, so the signal cannot reach another job.
    pub(crate) fn cancel(&self, cancel: impl FnOnce(i32)) {
        let mut stage = lock(&self.stage);
        if let Stage::Running(Some(backend)) | Stage::Cancelled(backend) = *stage {
            *stage = Stage::Cancelled(backend);
            self.was_cancelled.store(true, Ordering::Release);
            cancel(backend);
        }
    }

    /// Returns whether the job was ever cancelled.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.was_cancelled.load(Ordering::Acquire)
    }
}

/// Runs `action` as the job of this ticket, for [`still_wanted`].
pub(crate) fn run_as_job<T>(ticket: &Arc<Ticket>, action: impl FnOnce() -> T) -> T {
    let previous = CURRENT.replace(Some(ticket.clone()));
    let result = action();
    CURRENT.set(previous);
    result
}

/// Returns whether a caller still waits for the job that runs on this thread. Long loops and statements that scan many
/// rows check it regularly.
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
    fn an_ended_job_is_not_cancelled() {
        let ticket = ticket();
        assert!(ticket.begin(Some(7)) && ticket.can_be_cancelled());
        assert!(!ticket.end());
        ticket.cancel(|_| panic!("The job has already ended."));
    }

    #[test]
    fn end_reports_that_a_job_was_cancelled() {
        let (ticket, mut cancelled) = (ticket(), None);
        ticket.begin(Some(7));
        ticket.cancel(|backend| cancelled = Some(backend));
        assert_eq!(cancelled, Some(7));
        assert!(ticket.end());
    }

    #[test]
    fn an_abandoned_job_does_not_start_and_a_running_one_detects_it() {
        let (abandoned, running) = (ticket(), ticket());
        abandoned.leave();
        assert!(!abandoned.begin(None));
        assert!(running.begin(None));
        run_as_job(&running, || {
            assert!(still_wanted());
            running.leave();
            assert!(!still_wanted());
        });
        assert!(still_wanted(), "Code outside of a job is never abandoned.");
    }
}
