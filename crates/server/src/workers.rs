//! Background work: a table of jobs. Each does a bounded step, lets others have their turn, and goes on until nothing is
//! left; then it rests. A job that fails is tried again after its rest and stops no other.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::rt;
use steward_domain::error::Error;
use steward_domain::jobs::{JobRegistry, Step};
use steward_domain::policy::Lane;
use steward_domain::ports::SweepMoments;
use steward_domain::usecases::Steward;
use steward_domain::work::{Tenant, Work};
use tokio::sync::watch;

/// How many expired things of a kind, and how many items to be keyed, one step takes.
const BATCH_SIZE: u16 = 500;
/// How long a running step may take to end when the service stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// One bounded step of a job.
type Doing = Pin<Box<dyn Future<Output = Result<Step, Error>>>>;

/// Something that is done again and again.
#[derive(Clone, Copy)]
struct Job {
    /// Its name in logs and metrics.
    name: &'static str,
    /// How long it rests when nothing is left to do.
    rest: Duration,
    /// How long it waits between two steps.
    pause: Duration,
    step: fn(Arc<Steward>) -> Doing,
}

const JOBS: [Job; 8] = [
    Job {
        name: "server_keys",
        rest: Duration::from_secs(60),
        pause: Duration::ZERO,
        step: |steward| {
            Box::pin(async move { steward.server_keys.maintain().await.map(|done| Step { done, more: false }) })
        },
    },
    Job {
        name: "credential_use",
        rest: Duration::from_secs(5),
        pause: Duration::ZERO,
        step: |steward| {
            Box::pin(async move { steward.usage.write_down().await.map(|done| Step { done, more: false }) })
        },
    },
    Job {
        name: "audit_seal",
        rest: Duration::from_millis(500),
        pause: Duration::from_millis(2),
        step: |steward| Box::pin(async move { steward.audit.seal().await.map(|done| Step { done, more: false }) }),
    },
    Job {
        name: "webhook_delivery",
        rest: Duration::from_millis(500),
        pause: Duration::ZERO,
        step: |steward| Box::pin(deliver(steward)),
    },
    Job {
        name: "audit_retention",
        rest: Duration::from_secs(60),
        pause: Duration::from_millis(20),
        step: |steward| Box::pin(async move { steward.audit.forget().await.map(|done| Step { done, more: done > 0 }) }),
    },
    Job {
        name: "project_cleanup",
        rest: Duration::from_secs(60),
        pause: Duration::from_millis(20),
        step: |steward| {
            Box::pin(async move { steward.remains.remove_all().await.map(|done| Step { done, more: false }) })
        },
    },
    Job {
        name: "expiry",
        rest: Duration::from_secs(60),
        pause: Duration::from_millis(20),
        step: |steward| Box::pin(expire(steward)),
    },
    Job {
        name: "item_index",
        rest: Duration::from_secs(2),
        pause: Duration::from_millis(20),
        step: |steward| {
            Box::pin(async move {
                let more = steward.indexer.index_items(BATCH_SIZE).await?;
                Ok(Step { done: usize::from(more), more })
            })
        },
    },
];

/// Removes what has expired.
async fn expire(steward: Arc<Steward>) -> Result<Step, Error> {
    let done = steward.sweeper.sweep(&SweepMoments::at(steward.clock.now()), BATCH_SIZE).await?;
    Ok(Step { done, more: done > 0 })
}

/// Begins to deliver to the webhooks that are due.
async fn deliver(steward: Arc<Steward>) -> Result<Step, Error> {
    let due = steward.deliveries.due().await?;
    let done = due.len();
    for due in due {
        let steward = steward.clone();
        rt::spawn(background(async move {
            if let Err(error) = steward.deliveries.deliver(due).await {
                tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "a webhook delivery failed");
            }
        }));
    }
    Ok(Step { done, more: false })
}

/// The running jobs.
pub struct Workers {
    steward: Arc<Steward>,
    stopping: watch::Sender<bool>,
    running: Vec<rt::task::JoinHandle<()>>,
}

impl Workers {
    /// Starts every job. How each is doing is kept in the registry.
    pub fn start(steward: &Arc<Steward>, registry: &Arc<JobRegistry>) -> Self {
        let (stopping, stopped) = watch::channel(false);
        let start = |job: &Job| rt::spawn(run(*job, steward.clone(), registry.clone(), stopped.clone()));
        Self { steward: steward.clone(), running: JOBS.iter().map(start).collect(), stopping }
    }

    /// Lets running steps end, starts no more, and writes down what is only in memory.
    pub async fn stop(self) {
        self.stopping.send_replace(true);
        for job in self.running {
            if tokio::time::timeout(STOP_TIMEOUT, job).await.is_err() {
                tracing::warn!("a background job did not end in time");
            }
        }
        if let Err(error) = background(self.steward.usage.write_down()).await {
            tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "the use of keys could not be written down");
        }
    }
}

/// Runs work of the service itself on the background lane.
async fn background<F: Future>(work: F) -> F::Output {
    Work { lane: Lane::Background, tenant: Tenant::Service }.scope(work).await
}

async fn run(job: Job, steward: Arc<Steward>, registry: Arc<JobRegistry>, mut stopping: watch::Receiver<bool>) {
    loop {
        let began = Instant::now();
        let outcome = background((job.step)(steward.clone())).await;
        registry.record(job.name, steward.clock.now(), began.elapsed(), outcome.as_ref().ok().copied());
        let wait = match outcome {
            Ok(Step { more: true, .. }) => job.pause,
            Ok(_) => job.rest,
            Err(error) => {
                tracing::warn!(job = job.name, error = %anyhow::Error::new(error).root_cause(), "a background job failed");
                job.rest
            }
        };
        let stopped = stopping.wait_for(|stopping| *stopping);
        if tokio::time::timeout(wait, stopped).await.is_ok() {
            return;
        }
    }
}
