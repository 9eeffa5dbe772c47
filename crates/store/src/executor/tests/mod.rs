//! Tests of the executor with fake connections.

mod row_requests;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::{Tenant, Work};
use steward_domain::kernel::{HealthError, TeamId};
use steward_domain::mocks::id_of;
use steward_store_contract::timing::{assert_fast, wait_until};

use super::{
    Begun, ConnectionUse, Connector, Executor, OpenedConnection, QUEUE_LIMITS, Reply, RowRequest, WorkerCounts,
};
use crate::error::JobError;
use crate::job::Outcome;

/// A fake database that can be stopped and frozen.
#[derive(Default)]
struct Database {
    is_stopped: AtomicBool,
    is_frozen: Mutex<bool>,
    thaws: Condvar,
    cancelled: AtomicUsize,
}

impl Database {
    /// Blocks while the database is frozen. Fails if it is stopped.
    fn respond(&self) -> Result<(), anyhow::Error> {
        let mut is_frozen = self.is_frozen.lock().unwrap();
        while *is_frozen {
            is_frozen = self.thaws.wait(is_frozen).unwrap();
        }
        if self.is_stopped.load(Ordering::SeqCst) { Err(anyhow!("connection refused")) } else { Ok(()) }
    }

    fn freeze(&self, is_frozen: bool) {
        *self.is_frozen.lock().unwrap() = is_frozen;
        self.thaws.notify_all();
    }
}

struct Fake(Arc<Database>);

impl Connector for Fake {
    type Connection = Arc<Database>;
    type Row = FakeRow;
    const HAS_ROW_REQUESTS: bool = true;

    fn connect(&self, _: ConnectionUse) -> Result<OpenedConnection<Arc<Database>>, anyhow::Error> {
        self.0.respond()?;
        Ok(OpenedConnection { connection: self.0.clone(), backend: Some(1) })
    }

    fn is_alive(&self, connection: &mut Arc<Database>) -> bool {
        connection.respond().is_ok()
    }

    fn check(&self, connection: &mut Arc<Database>) -> Result<(), HealthError> {
        connection.respond().map_err(HealthError::Unreachable)
    }

    fn cancel(&self, connection: &mut Arc<Database>, _: i32) -> Result<(), anyhow::Error> {
        connection.cancelled.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

/// A row request that responds with the number of requests in its statement, or 0 if it ran alone.
struct FakeRow {
    /// Reports that the statement runs, and blocks it until the other sender is dropped.
    gate: Option<(mpsc::Sender<()>, mpsc::Receiver<()>)>,
    must_run_alone: bool,
    reply: Reply<usize>,
}

impl RowRequest<Arc<Database>> for FakeRow {
    fn writes(&self) -> bool {
        false
    }

    fn bytes(&self) -> usize {
        0
    }

    fn joins(&self, _: &Self) -> bool {
        true
    }

    fn run_together(requests: &mut [Option<Self>], database: &mut Arc<Database>) -> bool {
        let size = requests.len();
        for request in requests.iter_mut() {
            if request.as_ref().is_some_and(|request| request.must_run_alone) {
                continue;
            }
            let Self { gate, reply, .. } = request.take().unwrap();
            if let Some((running, gate)) = gate {
                running.send(()).unwrap();
                assert!(gate.recv().is_err(), "The sender is only dropped.");
            }
            drop(reply.send(database.respond().map(|()| Ok(size))));
        }
        true
    }

    fn run_alone(self, _: &mut Arc<Database>) -> bool {
        self.reply.send(Ok(Ok(0))).is_ok()
    }
}

fn start(interactive: u32) -> (Arc<Database>, Arc<Executor<Fake>>) {
    let database = Arc::new(Database::default());
    let counts = WorkerCounts { interactive, heavy: 1 };
    (database.clone(), Arc::new(Executor::start("fake", counts, Fake(database)).unwrap()))
}

fn of_team(name: &str, lane: Lane) -> Work {
    Work { lane, tenant: Tenant::Team(TeamId::from(id_of(name))) }
}

async fn query(executor: &Executor<Fake>, work: Work) -> Outcome<()> {
    let job = |database: &mut Arc<Database>| database.respond().map_err(JobError::corrupt);
    work.scope(executor.run(job)).await
}

/// Returns how long it takes until a job is refused.
async fn refusal_time(executor: &Executor<Fake>, work: Work) -> Duration {
    let started = Instant::now();
    query(executor, work).await.unwrap_err();
    started.elapsed()
}

/// Waits until jobs are refused because the breaker is open.
async fn wait_until_open(executor: &Executor<Fake>, work: Work) {
    let is_open = async || {
        query(executor, work).await.unwrap_err();
        executor.stats()[0].refused_breaker > 0
    };
    wait_until("The outage of the database is not detected.", is_open).await;
}

/// Returns how long it takes until jobs run again.
async fn recovery_time(executor: &Executor<Fake>, work: Work) -> Duration {
    let started = Instant::now();
    let runs = async || query(executor, work).await.is_ok();
    wait_until("The recovery of the database is not detected.", runs).await;
    let elapsed = started.elapsed();
    wait_until("The database is not reachable.", async || executor.check().await.is_ok()).await;
    elapsed
}

/// Starts an executor, and freezes the database after a job.
async fn start_frozen(work: Work) -> (Arc<Database>, Arc<Executor<Fake>>) {
    let (database, executor) = start(2);
    query(&executor, work).await.unwrap().unwrap();
    wait_until("The database is not reachable.", async || executor.check().await.is_ok()).await;
    database.freeze(true);
    (database, executor)
}

/// Starts a job that blocks its worker until the returned sender is dropped. Returns once the job runs.
async fn blocked(executor: &Arc<Executor<Fake>>, work: Work) -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel::<()>();
    let (start_sender, started) = tokio::sync::oneshot::channel();
    let executor = executor.clone();
    tokio::spawn(work.scope(async move {
        let job = move |_: &mut _| {
            let _ = start_sender.send(());
            let _ = receiver.recv();
            Ok(())
        };
        executor.run(job).await
    }));
    started.await.unwrap();
    sender
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_lane_does_not_delay_other_lanes() {
    let (_database, executor) = start(2);
    let _stuck = blocked(&executor, of_team("a", Lane::Heavy)).await;
    let _also_stuck = blocked(&executor, of_team("a", Lane::Background)).await;
    query(&executor, of_team("a", Lane::Interactive)).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_tenant_cannot_use_all_workers() {
    let (_database, executor) = start(2);
    let _stuck = blocked(&executor, of_team("a", Lane::Interactive)).await;
    let waiting = tokio::spawn({
        let executor = executor.clone();
        async move { query(&executor, of_team("a", Lane::Interactive)).await }
    });
    query(&executor, of_team("b", Lane::Interactive)).await.unwrap().unwrap();
    assert!(!waiting.is_finished());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_with_a_full_queue_is_refused_immediately_and_others_are_served() {
    let (_database, executor) = start(2);
    let stuck = blocked(&executor, of_team("a", Lane::Interactive)).await;
    let requests: Vec<_> = (0..QUEUE_LIMITS.per_tenant)
        .map(|_| {
            let executor = executor.clone();
            tokio::spawn(async move { query(&executor, of_team("a", Lane::Interactive)).await })
        })
        .collect();
    while executor.stats()[0].queued < QUEUE_LIMITS.per_tenant {
        tokio::task::yield_now().await;
    }
    let mut refused = 0_u64;
    let refusal = async || {
        refused += 1;
        refusal_time(&executor, of_team("a", Lane::Interactive)).await
    };
    assert_fast(5, Duration::from_millis(500), refusal).await;
    assert_eq!(executor.stats()[0].refused_full, refused);
    query(&executor, of_team("b", Lane::Interactive)).await.unwrap().unwrap();
    drop(stuck);
    for request in requests {
        request.await.unwrap().unwrap().unwrap();
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_write_that_was_cancelled_at_its_deadline_does_not_succeed() {
    let (database, executor) = start(2);
    let has_ended = Arc::new(AtomicBool::new(false));
    let write = of_team("a", Lane::Interactive).scope({
        let (executor, has_ended) = (executor.clone(), has_ended.clone());
        async move {
            executor
                .run_write(move |_| {
                    // A commit that waits for a standby ends without an error when it is cancelled.
                    while database.cancelled.load(Ordering::SeqCst) == 0 {
                        std::thread::sleep(Duration::from_millis(10));
                    }
                    has_ended.store(true, Ordering::SeqCst);
                    Ok(())
                })
                .await
                .map(drop)
        }
    });
    tokio::pin!(write);
    tokio::select! {
        biased;
        result = &mut write => panic!("{result:?}"),
        () = std::future::ready(()) => {}
    }
    // The caller is busy, and does not notice its deadline before the result is there.
    while !has_ended.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(100));
    let error = write.await.unwrap_err();
    assert!(error.is::<Begun>(), "{error:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_job_is_not_started_or_is_cancelled_if_running() {
    let (database, executor) = start(2);
    let work = of_team("a", Lane::Heavy);
    let (sender, receiver) = mpsc::channel::<()>();
    let running = tokio::spawn({
        let executor = executor.clone();
        work.scope(async move {
            executor
                .run(move |_| {
                    let _ = receiver.recv();
                    Ok(())
                })
                .await
                .map(drop)
        })
    });
    while executor.stats()[1].running == 0 {
        tokio::task::yield_now().await;
    }
    let has_run = Arc::new(AtomicBool::new(false));
    let queued = tokio::spawn({
        let (executor, has_run) = (executor.clone(), has_run.clone());
        work.scope(async move {
            executor
                .run(move |_| {
                    has_run.store(true, Ordering::SeqCst);
                    Ok(())
                })
                .await
                .map(drop)
        })
    });
    while executor.stats()[1].queued == 0 {
        tokio::task::yield_now().await;
    }
    queued.abort();
    running.abort();
    let is_cancelled = async || database.cancelled.load(Ordering::SeqCst) > 0;
    wait_until("The running job is not cancelled.", is_cancelled).await;
    drop(sender);
    query(&executor, work).await.unwrap().unwrap();
    assert!(!has_run.load(Ordering::SeqCst));
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_refused_immediately_while_the_database_is_down_and_run_soon_after_recovery() {
    let work = of_team("a", Lane::Interactive);
    let start_stopped = || {
        let (database, executor) = start(4);
        database.is_stopped.store(true, Ordering::SeqCst);
        (database, executor)
    };
    let first_refusal = async || {
        let (_database, executor) = start_stopped();
        refusal_time(&executor, work).await
    };
    // Less than the time limit of a job.
    assert_fast(5, Duration::from_secs(2), first_refusal).await;

    let (_database, executor) = start_stopped();
    wait_until_open(&executor, work).await;
    let refusal = async || {
        let started = Instant::now();
        query(&executor, work).await.unwrap_err();
        executor.check().await.unwrap_err();
        started.elapsed()
    };
    assert_fast(5, Duration::from_millis(100), refusal).await;

    let recovery = async || {
        let (database, executor) = start_stopped();
        wait_until_open(&executor, work).await;
        database.is_stopped.store(false, Ordering::SeqCst);
        recovery_time(&executor, work).await
    };
    assert_fast(5, Duration::from_secs(2), recovery).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_database_is_detected_in_time_and_its_connections_are_replaced() {
    let work = of_team("a", Lane::Interactive);
    let first_refusal = async || {
        let (database, executor) = start_frozen(work).await;
        let elapsed = refusal_time(&executor, work).await;
        // So that its threads end.
        database.freeze(false);
        elapsed
    };
    // A job that is not refused by the breaker ends after its time limit.
    assert_fast(5, work.lane.time_limit(), first_refusal).await;

    let recovery = async || {
        let (database, executor) = start_frozen(work).await;
        wait_until_open(&executor, work).await;
        assert_fast(5, Duration::from_millis(100), async || refusal_time(&executor, work).await).await;
        database.freeze(false);
        recovery_time(&executor, work).await
    };
    assert_fast(5, Duration::from_secs(2), recovery).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stays_stuck_after_recovery_is_replaced() {
    let work = of_team("a", Lane::Interactive);
    let recovery = async || {
        let (database, executor) = start(1);
        let _stuck = blocked(&executor, work).await;
        database.freeze(true);
        query(&executor, work).await.unwrap_err();
        database.freeze(false);
        let elapsed = recovery_time(&executor, work).await;
        assert_eq!(executor.stats()[0].abandoned, 1);
        elapsed
    };
    // Less than the time after which a stuck worker is replaced without a recovery.
    assert_fast(5, Duration::from_secs(2), recovery).await;
}
