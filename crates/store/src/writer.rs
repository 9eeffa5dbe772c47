//! SQLite's one writer. It takes what is waiting and commits it together: each change in a savepoint of its own, so that one
//! that is refused takes no other with it, and each answered only after the commit. The lanes come in their order, but none
//! waits forever; within a lane tenants are served in turn, and a commit waits for nobody's batches for long.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use diesel::SqliteConnection;
use steward_domain::policy::Lane;
use steward_domain::ports::LaneStats;
use steward_domain::work::{Tenant, Work};
use tokio::sync::oneshot;

use crate::error::{JobError, OpenError};
use crate::executor::{QUEUE_LIMITS, RefusedJobs, Ticket, Waiting, as_job, full, late, span};
use crate::fair_queue::{FairQueue, Full};

/// Its name in metrics and traces.
const POOL: &str = "sqlite-writer";
/// How many changes are committed together, and for how long more are taken in.
const MAX_GROUP_SIZE: usize = 64;
const MAX_GROUP_WAIT: Duration = Duration::from_millis(10);
/// A lane that was passed over for so long comes next.
const MAX_LANE_WAIT: Duration = Duration::from_millis(100);

/// Who writes without a pause leaves the file to other processes for a moment this often: they look for it more often than
/// such a moment lasts.
const YIELD_EVERY: Duration = Duration::from_millis(100);
const YIELD_FOR: Duration = Duration::from_millis(3);
/// How long to wait for another process that writes, and how often to look.
const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
const LOCK_POLL: Duration = Duration::from_millis(1);

/// What becomes of a change is told once it is known whether it was committed.
type Answer = Box<dyn FnOnce(Result<(), anyhow::Error>) + Send>;

/// A change that waits for the writer.
struct Change {
    ticket: Arc<Ticket>,
    apply: Box<dyn FnOnce(&mut SqliteConnection) -> Answer + Send>,
}

/// The changes of one lane.
struct Line {
    lane: Lane,
    queue: FairQueue<Tenant, Change>,
    /// Since when it waits while others are served.
    passed_over_since: Option<Instant>,
    done: u64,
    waited: Duration,
    worked: Duration,
}

struct State {
    /// In the order in which lanes are served.
    lines: [Line; 3],
    is_stopped: bool,
}

struct Shared {
    state: Mutex<State>,
    wakes: Condvar,
}

/// Hands changes to the writer, which ends when this is dropped.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    refusals: [(Lane, RefusedJobs); 3],
}

impl Writer {
    /// Starts the writer on a connection; `reconnect` makes another.
    pub(crate) fn start(
        conn: SqliteConnection,
        reconnect: impl Fn() -> Result<SqliteConnection, OpenError> + Send + 'static,
    ) -> Result<Self, OpenError> {
        let line = |lane| Line {
            lane,
            queue: FairQueue::new(QUEUE_LIMITS),
            passed_over_since: None,
            done: 0,
            waited: Duration::ZERO,
            worked: Duration::ZERO,
        };
        let state = State { lines: Lane::ALL.map(line), is_stopped: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), wakes: Condvar::new() });
        let of_thread = shared.clone();
        let work = move || work(&of_thread, conn, reconnect);
        thread::Builder::new().name("sqlite-writer".into()).spawn(work).map_err(OpenError::Thread)?;
        Ok(Self { shared, refusals: Lane::ALL.map(|lane| (lane, RefusedJobs::default())) })
    }

    /// Does the work among what is committed together, as the current task's lane and tenant. `Err`: nothing was written, or
    /// it took too long to know.
    pub(crate) async fn run<T, F>(&self, work: F) -> Result<Result<T, JobError>, anyhow::Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, JobError> + Send + 'static,
    {
        let Work { lane, tenant } = Work::current();
        let _span = span(POOL, lane);
        let (waiting, ticket) = Waiting::begin(|_| ());
        let (sender, answer) = oneshot::channel();
        let apply = Box::new(move |conn: &mut SqliteConnection| -> Answer {
            let result = work(conn);
            Box::new(move |committed| drop(sender.send(committed.map(|()| result))))
        });
        if self.shared.push(lane, tenant, Change { ticket, apply }) == Err(Full) {
            self.count(lane, |refusals| refusals.full.fetch_add(1, Ordering::Relaxed));
            waiting.ends();
            return Err(full(lane));
        }
        match waiting.bounded(answer).await {
            Some(answered) => answered.map_err(|_| anyhow!("the change was not written"))?,
            None => {
                self.count(lane, |refusals| refusals.deadline.fetch_add(1, Ordering::Relaxed));
                Err(late(lane))
            }
        }
    }

    fn count<T>(&self, lane: Lane, count: impl FnOnce(&RefusedJobs) -> T) {
        if let Some((_, refusals)) = self.refusals.iter().find(|(other, _)| *other == lane) {
            count(refusals);
        }
    }

    /// What each lane has waiting and has done. The one worker is counted with the interactive lane.
    pub(crate) fn stats(&self) -> Vec<LaneStats> {
        let state = self.shared.state();
        let of_line = |(line, (_, refusals)): (&Line, &(Lane, RefusedJobs))| LaneStats {
            pool: POOL,
            lane: line.lane,
            queued: line.queue.len(),
            running: 0,
            workers: usize::from(line.lane == Lane::Interactive),
            connections: usize::from(line.lane == Lane::Interactive),
            done: line.done,
            waited: line.waited,
            worked: line.worked,
            refused_full: refusals.full.load(Ordering::Relaxed),
            refused_deadline: refusals.deadline.load(Ordering::Relaxed),
            refused_breaker: refusals.breaker.load(Ordering::Relaxed),
            abandoned: 0,
        };
        state.lines.iter().zip(&self.refusals).map(of_line).collect()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.state().is_stopped = true;
        self.shared.wakes.notify_all();
    }
}

impl Shared {
    fn push(&self, lane: Lane, tenant: Tenant, change: Change) -> Result<(), Full> {
        let mut state = self.state();
        for line in &mut state.lines {
            if line.lane == lane {
                line.queue.push(tenant, change)?;
                line.passed_over_since.get_or_insert_with(Instant::now);
                self.wakes.notify_one();
                return Ok(());
            }
        }
        Err(Full)
    }

    /// Waits for a change; and whether there was a pause before it. `None`: there will be none.
    fn wait(&self) -> Option<(Change, bool)> {
        let (mut state, mut paused) = (self.state(), false);
        loop {
            if let Some(change) = state.next() {
                return Some((change, paused));
            }
            if state.is_stopped {
                return None;
            }
            paused = true;
            state = self.wakes.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The next change: that of the first lane which has one, but before it that of a lane which was passed over for long.
    fn next(&mut self) -> Option<Change> {
        let is_overdue = |line: &Line| line.passed_over_since.is_some_and(|since| since.elapsed() > MAX_LANE_WAIT);
        let overdue = self.lines.iter().position(is_overdue);
        let place = overdue.or_else(|| self.lines.iter().position(|line| line.queue.has_next()))?;
        let line = self.lines.get_mut(place)?;
        let (tenant, change) = line.queue.next()?;
        line.queue.done(tenant);
        line.passed_over_since = line.queue.has_next().then(Instant::now);
        line.done = line.done.saturating_add(1);
        line.waited += change.ticket.queued_at().elapsed();
        Some(change)
    }
}

fn work(shared: &Shared, mut conn: SqliteConnection, reconnect: impl Fn() -> Result<SqliteConnection, OpenError>) {
    let mut yielded = Instant::now();
    while let Some((first, paused)) = shared.wait() {
        if !paused && yielded.elapsed() > YIELD_EVERY {
            thread::sleep(YIELD_FOR);
        }
        if paused || yielded.elapsed() > YIELD_EVERY {
            yielded = Instant::now();
        }
        let began = Instant::now();
        if !commit_together(shared, &mut conn, first) {
            // The old connection may be in the middle of a transaction that nobody ends.
            match reconnect() {
                Ok(another) => conn = another,
                Err(error) => tracing::error!(%error, "the database cannot be written to any more"),
            }
        }
        if let Some(line) = shared.state().lines.first_mut() {
            line.worked += began.elapsed();
        }
    }
}

/// Whether the connection may be used again.
fn commit_together(shared: &Shared, conn: &mut SqliteConnection, first: Change) -> bool {
    let (mut first, mut answers, patience) = (Some(first), Vec::new(), Instant::now() + LOCK_TIMEOUT);
    let committed = catch_unwind(AssertUnwindSafe(|| {
        loop {
            let committed = conn.immediate_transaction(|conn| {
                apply_together(shared, conn, first.take(), &mut answers);
                Ok::<_, diesel::result::Error>(())
            });
            // While the first change is there, the transaction did not begin: another process writes.
            if committed.is_ok() || first.is_none() || Instant::now() > patience {
                return committed;
            }
            thread::sleep(LOCK_POLL);
        }
    }));
    match committed {
        Ok(Ok(())) => answers.into_iter().for_each(|answer| answer(Ok(()))),
        Ok(Err(error)) => {
            let cause = error.to_string();
            answers.into_iter().for_each(|answer| answer(Err(anyhow!("not committed: {cause}"))));
            return false;
        }
        // The senders are dropped with their changes: everybody learns that nothing was written.
        Err(_) => {
            tracing::error!("a write to the database ended in a panic");
            return false;
        }
    }
    true
}

fn apply_together(shared: &Shared, conn: &mut SqliteConnection, first: Option<Change>, answers: &mut Vec<Answer>) {
    let (began, mut next) = (Instant::now(), first);
    while let Some(change) = next {
        if change.ticket.begin(None) {
            let apply = change.apply;
            answers.push(as_job(&change.ticket, || apply(conn)));
        }
        let may_go_on = answers.len() < MAX_GROUP_SIZE && began.elapsed() < MAX_GROUP_WAIT;
        next = if may_go_on { shared.state().next() } else { None };
    }
}
