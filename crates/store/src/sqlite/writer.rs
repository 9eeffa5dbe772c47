//! The single SQLite writer. It commits queued changes in groups: each change in its own savepoint, or refused before it
//! writes, so that a failed change does not affect the others, and each result is reported only after the commit. Lanes
//! are served by priority, but none waits forever. Within a lane, tenants are served in turn. The size and duration of a
//! group are limited.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use diesel::sql_types::Integer;
use diesel::{QueryResult, QueryableByName, RunQueryDsl as _, SqliteConnection};
use steward_domain::kernel::LaneStats;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::{Tenant, Work};
use tokio::sync::oneshot;

use crate::error::{JobError, NotCommitted, OpenError};
use crate::executor::{
    JobWait, QUEUE_LIMITS, RefusedJobs, Ticket, queue_full_error, run_as_job, span, stopped, timeout_error,
};
use crate::fair_queue::{FairQueue, Full};
use crate::job::{AnyJob, AnyValue, Outcome, boxed, outcome_of};

/// Name of the writer in metrics and traces.
const POOL: &str = "sqlite-writer";
/// Limits of a group commit: the number of changes, and the time during which more are added.
const MAX_GROUP_SIZE: usize = 64;
const MAX_GROUP_WAIT: Duration = Duration::from_millis(10);
/// A lane that was not served for this long is served next.
const MAX_LANE_WAIT: Duration = Duration::from_millis(100);

/// A continuously busy writer releases the file for `YIELD_FOR` at this interval. Writers in other processes poll for
/// the lock more often than that and can acquire it.
const YIELD_EVERY: Duration = Duration::from_millis(100);
const YIELD_FOR: Duration = Duration::from_millis(3);
/// How long to wait for a writer in another process, and the polling interval.
const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
const LOCK_POLL: Duration = Duration::from_millis(1);

/// The write-ahead log contains earlier versions of changed rows. It is emptied once the writer was idle for this long,
/// and also without a pause once this much time has passed since changes were first written to it. A reader or another
/// process that uses the log delays this.
const IDLE: Duration = Duration::from_secs(1);
const MAX_LOG_AGE: Duration = Duration::from_secs(60);

/// Reports the result of a change once it is known whether the group was committed.
type Reply = Box<dyn FnOnce(Result<(), anyhow::Error>) + Send>;

/// Applies a change. Fails if its group must not be committed.
type Apply = Box<dyn FnOnce(&mut SqliteConnection) -> QueryResult<Reply> + Send>;

/// A queued change.
struct Change {
    lane: Lane,
    ticket: Arc<Ticket>,
    apply: Apply,
}

/// Queue and counters of one lane.
struct LaneQueue {
    lane: Lane,
    queue: FairQueue<Tenant, Change>,
    /// Since when the lane has had queued changes without being served.
    passed_over_since: Option<Instant>,
    done: u64,
    waited: Duration,
    worked: Duration,
}

struct State {
    /// In order of priority.
    lanes: [LaneQueue; 3],
    /// Whether the writer waits and was not woken.
    is_waiting: bool,
    is_stopped: bool,
}

/// What the writer does next.
enum Next {
    /// Apply a change. `was_idle`: whether the writer has waited for it.
    Apply {
        change: Change,
        was_idle: bool,
    },
    /// Nothing was written for a while.
    Idle,
    Stop,
}

struct Shared {
    state: Mutex<State>,
    wakes: Condvar,
}

/// Handle for sending changes to the writer thread. Dropping it ends the thread.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    refusals: [(Lane, RefusedJobs); 3],
}

impl Writer {
    /// Starts the writer with a connection. `reconnect` opens a new one after a failed commit.
    pub(crate) fn start(
        conn: SqliteConnection,
        reconnect: impl Fn() -> Result<SqliteConnection, OpenError> + Send + 'static,
    ) -> Result<Self, OpenError> {
        let new_queue = |lane| LaneQueue {
            lane,
            queue: FairQueue::new(QUEUE_LIMITS),
            passed_over_since: None,
            done: 0,
            waited: Duration::ZERO,
            worked: Duration::ZERO,
        };
        let state = State { lanes: Lane::ALL.map(new_queue), is_waiting: false, is_stopped: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), wakes: Condvar::new() });
        let thread_shared = shared.clone();
        let work = move || work(&thread_shared, conn, reconnect);
        thread::Builder::new().name("sqlite-writer".into()).spawn(work).map_err(OpenError::Thread)?;
        Ok(Self { shared, refusals: Lane::ALL.map(|lane| (lane, RefusedJobs::default())) })
    }

    /// Runs `work` as part of a group commit, in the lane and for the tenant of the current task. Returns the outer
    /// `Err` if nothing was written or the result is not known in time.
    pub(crate) fn run<T, F>(&self, work: F) -> impl Future<Output = Outcome<T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, JobError> + Send + 'static,
    {
        outcome_of(self.submit(boxed(work)))
    }

    async fn submit(&self, work: AnyJob<SqliteConnection>) -> Outcome<AnyValue> {
        let Work { lane, tenant } = Work::current();
        let _span = span(POOL, lane);
        let (waiting, ticket) = JobWait::begin(|_| ());
        let change_ticket = ticket.clone();
        let (sender, reply) = oneshot::channel();
        let apply = Box::new(move |conn: &mut SqliteConnection| -> QueryResult<Reply> {
            let result = match work(conn) {
                Err(JobError::Unfinished(error)) => {
                    drop(sender.send(Err(NotCommitted::from(&error).into())));
                    return Err(error);
                }
                result => result,
            };
            Ok(Box::new(move |committed| drop(sender.send(committed.map(|()| result)))))
        });
        if self.shared.push(tenant, Change { lane, ticket: change_ticket, apply }) == Err(Full) {
            self.count(lane, |refusals| refusals.full.fetch_add(1, Ordering::Relaxed));
            waiting.stop_waiting();
            return Err(queue_full_error(lane));
        }
        match waiting.bounded(reply).await {
            Some(result) => result.map_err(|_| anyhow!("The change was not written."))?,
            None => {
                self.count(lane, |refusals| refusals.deadline.fetch_add(1, Ordering::Relaxed));
                Err(stopped(&ticket, timeout_error(lane)))
            }
        }
    }

    fn count<T>(&self, lane: Lane, count: impl FnOnce(&RefusedJobs) -> T) {
        if let Some((_, refusals)) = self.refusals.iter().find(|(other, _)| *other == lane) {
            count(refusals);
        }
    }

    /// Returns the current state and the counters of each lane. The single worker is counted in the interactive lane.
    pub(crate) fn stats(&self) -> Vec<LaneStats> {
        let state = self.shared.state();
        let lane_stats = |(lane_queue, (_, refusals)): (&LaneQueue, &(Lane, RefusedJobs))| LaneStats {
            pool: POOL,
            lane: lane_queue.lane,
            queued: lane_queue.queue.len(),
            running: 0,
            workers: usize::from(lane_queue.lane == Lane::Interactive),
            connections: usize::from(lane_queue.lane == Lane::Interactive),
            done: lane_queue.done,
            statements: lane_queue.done,
            waited: lane_queue.waited,
            worked: lane_queue.worked,
            refused_full: refusals.full.load(Ordering::Relaxed),
            refused_deadline: refusals.deadline.load(Ordering::Relaxed),
            refused_breaker: refusals.breaker.load(Ordering::Relaxed),
            abandoned: 0,
        };
        state.lanes.iter().zip(&self.refusals).map(lane_stats).collect()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.state().is_stopped = true;
        self.shared.wakes.notify_all();
    }
}

impl Shared {
    fn push(&self, tenant: Tenant, change: Change) -> Result<(), Full> {
        let state = &mut *self.state();
        for lane_queue in &mut state.lanes {
            if lane_queue.lane == change.lane {
                lane_queue.queue.push(tenant, change)?;
                lane_queue.passed_over_since.get_or_insert_with(Instant::now);
                if std::mem::take(&mut state.is_waiting) {
                    self.wakes.notify_one();
                }
                return Ok(());
            }
        }
        Err(Full)
    }

    /// Waits for the next change, or until the writer is stopped or, if `until_idle`, was idle for a while.
    fn wait(&self, until_idle: bool) -> Next {
        let (mut state, mut was_idle, deadline) = (self.state(), false, Instant::now() + IDLE);
        loop {
            state.is_waiting = false;
            if let Some(change) = state.next() {
                return Next::Apply { change, was_idle };
            }
            if state.is_stopped {
                return Next::Stop;
            }
            (was_idle, state.is_waiting) = (true, true);
            if !until_idle {
                state = self.wakes.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let remaining = deadline.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return Next::Idle;
            }
            state = self.wakes.wait_timeout(state, remaining).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the next change: from an overdue lane if there is one, otherwise from the lane with the highest
    /// priority.
    fn next(&mut self) -> Option<Change> {
        let is_overdue =
            |lane_queue: &LaneQueue| lane_queue.passed_over_since.is_some_and(|since| since.elapsed() > MAX_LANE_WAIT);
        let overdue = self.lanes.iter().position(is_overdue);
        let index = overdue.or_else(|| self.lanes.iter().position(|lane_queue| lane_queue.queue.has_next()))?;
        let lane_queue = self.lanes.get_mut(index)?;
        let (tenant, change) = lane_queue.queue.next()?;
        lane_queue.queue.done(tenant);
        lane_queue.passed_over_since = lane_queue.queue.has_next().then(Instant::now);
        lane_queue.done += 1;
        lane_queue.waited += change.ticket.queued_at().elapsed();
        Some(change)
    }

    /// Returns how long the writer has worked for all lanes.
    fn worked(&self) -> Duration {
        self.lanes.iter().map(|lane_queue| lane_queue.worked).sum()
    }

    fn add_work(&mut self, lane: Lane, time: Duration) {
        for lane_queue in self.lanes.iter_mut().filter(|lane_queue| lane_queue.lane == lane) {
            lane_queue.worked += time;
        }
    }
}

fn work(shared: &Shared, mut conn: SqliteConnection, reconnect: impl Fn() -> Result<SqliteConnection, OpenError>) {
    let mut last_yield = Instant::now();
    // When to empty the log at the latest. `None` if it is empty.
    let mut log_is_due: Option<Instant> = None;
    loop {
        if log_is_due.is_some_and(|due| due < Instant::now()) {
            log_is_due = (!empty_log(&mut conn)).then(|| Instant::now() + IDLE);
        }
        let (first, was_idle) = match shared.wait(log_is_due.is_some()) {
            Next::Apply { change, was_idle } => (change, was_idle),
            Next::Idle => {
                if empty_log(&mut conn) {
                    log_is_due = None;
                }
                continue;
            }
            Next::Stop => return,
        };
        log_is_due.get_or_insert_with(|| Instant::now() + MAX_LOG_AGE);
        if !was_idle && last_yield.elapsed() > YIELD_EVERY {
            thread::sleep(YIELD_FOR);
        }
        if was_idle || last_yield.elapsed() > YIELD_EVERY {
            last_yield = Instant::now();
        }
        let (started, lane, applied_before) = (Instant::now(), first.lane, shared.state().worked());
        if !commit_together(shared, &mut conn, first) {
            // The old connection may still have an open transaction.
            match reconnect() {
                Ok(new_conn) => conn = new_conn,
                Err(error) => {
                    tracing::error!(%error, "Unable to reconnect the SQLite writer. Writes to the database fail.")
                }
            }
        }
        // The time of the commit, which all changes share, counts for the lane of the first one.
        let mut state = shared.state();
        let applied = state.worked().saturating_sub(applied_before);
        state.add_work(lane, started.elapsed().saturating_sub(applied));
    }
}

/// Moves everything from the write-ahead log to the database and empties the log. Returns whether it was possible: not
/// while a reader or another process uses the log.
fn empty_log(conn: &mut SqliteConnection) -> bool {
    let result = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result::<Checkpoint>(conn);
    result.is_ok_and(|checkpoint| checkpoint.busy == 0)
}

#[derive(QueryableByName)]
struct Checkpoint {
    #[diesel(sql_type = Integer)]
    busy: i32,
}

/// Commits a group of changes. Returns whether the connection can be reused.
fn commit_together(shared: &Shared, conn: &mut SqliteConnection, first: Change) -> bool {
    let (mut first, mut replies, deadline) = (Some(first), Vec::new(), Instant::now() + LOCK_TIMEOUT);
    let committed = catch_unwind(AssertUnwindSafe(|| {
        loop {
            let committed = conn.immediate_transaction(|conn| apply_together(shared, conn, first.take(), &mut replies));
            // The first change is still there if the transaction did not start because another process holds the lock.
            if committed.is_ok() || first.is_none() || Instant::now() > deadline {
                return committed;
            }
            thread::sleep(LOCK_POLL);
        }
    }));
    match committed {
        Ok(Ok(())) => replies.into_iter().for_each(|reply| reply(Ok(()))),
        Ok(Err(error)) => {
            let error = NotCommitted::from(&error);
            replies.into_iter().for_each(|reply| reply(Err(error.clone().into())));
            return false;
        }
        // Dropping the senders reports to all callers that nothing was written.
        Err(_) => {
            tracing::error!("A write to the database panicked.");
            return false;
        }
    }
    true
}

fn apply_together(
    shared: &Shared,
    conn: &mut SqliteConnection,
    first: Option<Change>,
    replies: &mut Vec<Reply>,
) -> QueryResult<()> {
    let (started, mut next) = (Instant::now(), first);
    while let Some(change) = next {
        let Change { lane, ticket, apply } = change;
        if ticket.begin(None) {
            let applied_at = Instant::now();
            replies.push(run_as_job(&ticket, || apply(conn))?);
            shared.state().add_work(lane, applied_at.elapsed());
        }
        let has_capacity = replies.len() < MAX_GROUP_SIZE && started.elapsed() < MAX_GROUP_WAIT;
        next = if has_capacity { shared.state().next() } else { None };
    }
    Ok(())
}

#[cfg(test)]
mod tests;
