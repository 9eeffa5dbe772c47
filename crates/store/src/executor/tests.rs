//! The executor over connections that do what a test wants.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use steward_domain::mocks::id_of;
use steward_domain::model::TeamId;
use steward_domain::policy::Lane;
use steward_domain::ports::HealthError;
use steward_domain::work::{Tenant, Work};

use super::{ConnectionUse, Connector, Executor, OpenedConnection, QUEUE_LIMITS, WorkerCounts};
use crate::error::JobError;

/// A database that can be stopped and frozen.
#[derive(Default)]
struct Database {
    is_stopped: AtomicBool,
    is_frozen: Mutex<bool>,
    thaws: Condvar,
    cancelled: AtomicUsize,
}

impl Database {
    /// Answers, unless it is frozen: then once it is not.
    fn answer(&self) -> Result<(), anyhow::Error> {
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

    fn connect(&self, _: ConnectionUse) -> Result<OpenedConnection<Arc<Database>>, anyhow::Error> {
        self.0.answer()?;
        Ok(OpenedConnection { connection: self.0.clone(), backend: Some(1) })
    }

    fn is_alive(&self, connection: &mut Arc<Database>) -> bool {
        connection.answer().is_ok()
    }

    fn check(&self, connection: &mut Arc<Database>) -> Result<(), HealthError> {
        connection.answer().map_err(HealthError::Unreachable)
    }

    fn cancel(&self, connection: &mut Arc<Database>, _: i32) -> Result<(), anyhow::Error> {
        connection.cancelled.fetch_add(1, Ordering::SeqCst);
        Ok(())
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

type Done<T> = Result<Result<T, JobError>, anyhow::Error>;

async fn ask(executor: &Executor<Fake>, work: Work) -> Done<()> {
    let query = |database: &mut Arc<Database>| database.answer().map_err(JobError::corrupt);
    work.scope(executor.run(query)).await
}

/// A job that blocks its worker until the sender is dropped. Answers once it runs.
async fn blocked(executor: &Arc<Executor<Fake>>, work: Work) -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel::<()>();
    let (begins, began) = tokio::sync::oneshot::channel();
    let executor = executor.clone();
    tokio::spawn(work.scope(async move {
        let job = move |_: &mut _| {
            let _ = begins.send(());
            let _ = receiver.recv();
            Ok(())
        };
        executor.run(job).await
    }));
    began.await.unwrap();
    sender
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lane_whose_workers_are_busy_delays_no_other() {
    let (_database, executor) = start(2);
    let _stuck = blocked(&executor, of_team("a", Lane::Heavy)).await;
    let _too = blocked(&executor, of_team("a", Lane::Background)).await;
    ask(&executor, of_team("a", Lane::Interactive)).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_tenant_leaves_a_worker_to_the_others() {
    let (_database, executor) = start(2);
    let _stuck = blocked(&executor, of_team("a", Lane::Interactive)).await;
    let waits = tokio::spawn({
        let executor = executor.clone();
        async move { ask(&executor, of_team("a", Lane::Interactive)).await }
    });
    ask(&executor, of_team("b", Lane::Interactive)).await.unwrap().unwrap();
    assert!(!waits.is_finished());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_that_fills_its_line_is_refused_at_once_and_another_is_not() {
    let (_database, executor) = start(2);
    let stuck = blocked(&executor, of_team("a", Lane::Interactive)).await;
    let asked: Vec<_> = (0..QUEUE_LIMITS.per_tenant)
        .map(|_| {
            let executor = executor.clone();
            tokio::spawn(async move { ask(&executor, of_team("a", Lane::Interactive)).await })
        })
        .collect();
    while executor.stats()[0].queued < QUEUE_LIMITS.per_tenant {
        tokio::task::yield_now().await;
    }
    let began = Instant::now();
    ask(&executor, of_team("a", Lane::Interactive)).await.unwrap_err();
    assert!(began.elapsed() < Duration::from_millis(500));
    assert_eq!(executor.stats()[0].refused_full, 1);
    ask(&executor, of_team("b", Lane::Interactive)).await.unwrap().unwrap();
    drop(stuck);
    for asked in asked {
        asked.await.unwrap().unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_waits_for_is_not_begun_and_what_runs_is_cancelled() {
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
    let began = Instant::now();
    while database.cancelled.load(Ordering::SeqCst) == 0 {
        assert!(began.elapsed() < Duration::from_secs(5), "nothing is cancelled");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(sender);
    ask(&executor, work).await.unwrap().unwrap();
    assert!(!has_run.load(Ordering::SeqCst));
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_database_is_down_everybody_is_refused_at_once_and_served_soon_after_it_returns() {
    let (database, executor) = start(4);
    let work = of_team("a", Lane::Interactive);
    database.is_stopped.store(true, Ordering::SeqCst);
    let began = Instant::now();
    ask(&executor, work).await.unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    let again = Instant::now();
    ask(&executor, work).await.unwrap_err();
    executor.check().await.unwrap_err();
    assert!(again.elapsed() < Duration::from_millis(100), "{:?}", again.elapsed());

    database.is_stopped.store(false, Ordering::SeqCst);
    let returned = Instant::now();
    while ask(&executor, work).await.is_err() {
        assert!(returned.elapsed() < Duration::from_secs(2), "it is not noticed that the database is back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    executor.check().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_database_is_noticed_in_time_and_its_connections_are_replaced() {
    let (database, executor) = start(2);
    let work = of_team("a", Lane::Interactive);
    ask(&executor, work).await.unwrap().unwrap();
    executor.check().await.unwrap();
    database.freeze(true);
    let began = Instant::now();
    ask(&executor, work).await.unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let again = Instant::now();
    ask(&executor, work).await.unwrap_err();
    assert!(again.elapsed() < Duration::from_millis(100), "{:?}", again.elapsed());

    database.freeze(false);
    let returned = Instant::now();
    while ask(&executor, work).await.is_err() {
        assert!(returned.elapsed() < Duration::from_secs(3), "it is not noticed that the database is back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stays_silent_when_the_database_is_back_is_replaced() {
    let (database, executor) = start(1);
    let work = of_team("a", Lane::Interactive);
    let _stuck = blocked(&executor, work).await;
    database.freeze(true);
    ask(&executor, work).await.unwrap_err();
    database.freeze(false);
    let returned = Instant::now();
    while ask(&executor, work).await.is_err() {
        assert!(returned.elapsed() < Duration::from_secs(3), "the only worker is stuck and was not replaced");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(executor.stats()[0].abandoned, 1);
}
