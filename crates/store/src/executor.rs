//! The only place that knows threads. A few workers each keep a connection that the pool opened and checked, and take
//! jobs from one bounded channel: a full channel is an answer at once, not an endless queue, and a job that waited past
//! its deadline is not begun.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use crossbeam_channel::{Receiver, Sender, bounded};
use diesel::r2d2::{ConnectionManager, R2D2Connection};
use r2d2::{Pool, PooledConnection};
use tokio::sync::oneshot;

use crate::error::{Fault, OpenError};

/// How many jobs may wait for a worker.
const QUEUE: usize = 1024;
/// How long a job may wait for a worker.
const PATIENCE: Duration = Duration::from_secs(5);
/// A connection that lay idle for so long is checked before it is used again.
const IDLE: Duration = Duration::from_secs(10);

type Job<C> = Box<dyn FnOnce(Result<&mut C, anyhow::Error>) -> Fate + Send>;

/// What becomes of the connection that did a job.
#[derive(PartialEq, Eq)]
enum Fate {
    Keep,
    Drop,
}

/// Runs jobs on connections.
pub struct Executor<C: 'static> {
    jobs: Sender<Job<C>>,
}

impl<C> Executor<C>
where
    C: R2D2Connection + Send + 'static,
{
    /// Starts so many workers over the pool. They end when the executor is dropped.
    pub fn start(name: &str, workers: usize, pool: &Pool<ConnectionManager<C>>) -> Result<Self, OpenError> {
        let (sender, receiver) = bounded(QUEUE);
        for _ in 0..workers {
            let (jobs, pool) = (receiver.clone(), pool.clone());
            let work = move || work(&jobs, &pool);
            thread::Builder::new().name(name.to_owned()).spawn(work).map_err(OpenError::Thread)?;
        }
        Ok(Self { jobs: sender })
    }

    /// Does the work on some worker's connection. `Err`: nobody could be asked.
    pub async fn run<T, F>(&self, work: F) -> Result<Result<T, Fault>, anyhow::Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut C) -> Result<T, Fault> + Send + 'static,
    {
        let (sender, answer) = oneshot::channel();
        let deadline = Instant::now() + PATIENCE;
        let job: Job<C> = Box::new(move |connection| {
            if sender.is_closed() {
                return Fate::Keep;
            }
            if Instant::now() > deadline {
                drop(sender.send(Err(anyhow!("the database had no time for this in {PATIENCE:?}"))));
                return Fate::Keep;
            }
            let (answer, fate) = match connection.map(|connection| catch_unwind(AssertUnwindSafe(|| work(connection))))
            {
                Ok(Ok(Err(fault))) if fault.breaks_connection() => (Ok(Err(fault)), Fate::Drop),
                Ok(Ok(result)) => (Ok(result), Fate::Keep),
                Ok(Err(_)) => (Err(anyhow!("a database job ended in a panic")), Fate::Drop),
                Err(cause) => (Err(cause), Fate::Drop),
            };
            drop(sender.send(answer));
            fate
        });
        self.jobs.try_send(job).map_err(|_| anyhow!("{QUEUE} jobs wait for the database already"))?;
        answer.await.map_err(|_| anyhow!("a database worker was lost"))?
    }
}

fn work<C>(jobs: &Receiver<Job<C>>, pool: &Pool<ConnectionManager<C>>)
where
    C: R2D2Connection + Send + 'static,
{
    let mut kept: Option<(PooledConnection<ConnectionManager<C>>, Instant)> = None;
    while let Ok(job) = jobs.recv() {
        let fresh = kept.take().filter(|(_, since)| since.elapsed() < IDLE).map(|(connection, _)| connection);
        let taken = match fresh {
            Some(connection) => Ok(connection),
            None => pool.get(),
        };
        match taken {
            Ok(mut connection) => {
                if job(Ok(&mut connection)) == Fate::Keep {
                    kept = Some((connection, Instant::now()));
                }
            }
            Err(error) => {
                job(Err(anyhow::Error::new(error).context("no connection to the database can be had")));
            }
        }
    }
}
