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
use steward_domain::usecases::Steward;
use steward_domain::work::{Tenant, Work};
use tokio::sync::{Notify, watch};

/// How long a running step may take to end when the service stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// What the steps of jobs work with.
struct Context {
    steward: Arc<Steward>,
    /// Wakes the job that delivers to webhooks.
    deliver: Notify,
}

/// One bounded step of a job.
type StepFuture = Pin<Box<dyn Future<Output = Result<Step, Error>>>>;

/// Something that is done again and again.
#[derive(Clone, Copy)]
struct Job {
    /// Its name in logs and metrics.
    name: &'static str,
    /// How long it rests when nothing is left to do: at first, and twice as long each time up to the second.
    rest: (Duration, Duration),
    /// How long it waits between two steps.
    pause: Duration,
    step: fn(Arc<Context>) -> StepFuture,
}

/// The job that does not wait when its events have come.
const DELIVERY: &str = "webhook_delivery";

const JOBS: [Job; 9] = [
    Job {
        name: "server_keys",
        rest: (Duration::from_secs(60), Duration::from_secs(60)),
        pause: Duration::ZERO,
        step: |on| {
            Box::pin(async move { on.steward.server_keys.maintain().await.map(|done| Step { done, more: false }) })
        },
    },
    Job {
        name: "credential_use",
        rest: (Duration::from_secs(5), Duration::from_secs(5)),
        pause: Duration::ZERO,
        step: |on| Box::pin(async move { on.steward.usage.write_down().await.map(|done| Step { done, more: false }) }),
    },
    Job {
        name: "audit_seal",
        rest: (Duration::from_millis(100), Duration::from_millis(500)),
        pause: Duration::from_millis(2),
        step: |on| Box::pin(seal(on)),
    },
    Job {
        name: DELIVERY,
        rest: (Duration::from_millis(500), Duration::from_secs(4)),
        pause: Duration::ZERO,
        step: |on| Box::pin(deliver(on)),
    },
    Job {
        name: "webhook_lease",
        rest: (Duration::from_millis(1_500), Duration::from_millis(1_500)),
        pause: Duration::ZERO,
        step: |on| Box::pin(async move { on.steward.deliveries.renew().await.map(|done| Step { done, more: false }) }),
    },
    Job {
        name: "audit_retention",
        rest: (Duration::from_secs(600), Duration::from_secs(600)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.audit.forget_step().await }),
    },
    Job {
        name: "project_cleanup",
        rest: (Duration::from_secs(1), Duration::from_secs(60)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.project_cleanup.step().await }),
    },
    Job {
        name: "expiry",
        rest: (Duration::from_secs(60), Duration::from_secs(60)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.expiry.step().await }),
    },
    Job {
        name: "item_index",
        rest: (Duration::from_secs(2), Duration::from_secs(2)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.item_indexing.step().await }),
    },
];

/// Seals events, and wakes the deliveries to webhooks that want them.
async fn seal(on: Arc<Context>) -> Result<Step, Error> {
    let step = on.steward.audit.seal_step().await?;
    if step.done > 0 {
        on.deliver.notify_one();
    }
    Ok(step)
}

/// Begins to deliver to the webhooks that are due.
async fn deliver(on: Arc<Context>) -> Result<Step, Error> {
    let due = on.steward.deliveries.claim().await?;
    let done = due.len();
    for due in due {
        let on = on.clone();
        rt::spawn(background(async move {
            if let Err(error) = on.steward.deliveries.deliver(due).await {
                tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "a webhook delivery failed");
            }
            // Its place is free for another.
            on.deliver.notify_one();
        }));
    }
    Ok(Step { done, more: false })
}

/// The running jobs.
pub struct Workers {
    context: Arc<Context>,
    stopping: watch::Sender<bool>,
    running: Vec<rt::task::JoinHandle<()>>,
}

impl Workers {
    /// Starts every job. How each is doing is kept in the registry.
    pub fn start(steward: &Arc<Steward>, registry: &Arc<JobRegistry>) -> Self {
        let context = Arc::new(Context { steward: steward.clone(), deliver: Notify::new() });
        let (stopping, stopped) = watch::channel(false);
        let start = |job: &Job| rt::spawn(run(*job, context.clone(), registry.clone(), stopped.clone()));
        Self { running: JOBS.iter().map(start).collect(), context, stopping }
    }

    /// Lets running steps end and starts no more, leaves what this process had claimed to other replicas, and writes down
    /// what is only in memory.
    pub async fn stop(self) {
        self.stopping.send_replace(true);
        let deliveries = &self.context.steward.deliveries;
        let ends = Instant::now() + STOP_TIMEOUT;
        while deliveries.stop() > 0 && Instant::now() < ends {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for job in self.running {
            if tokio::time::timeout(ends.saturating_duration_since(Instant::now()), job).await.is_err() {
                tracing::warn!("a background job did not end in time");
            }
        }
        let steward = &self.context.steward;
        let ended = background(async {
            deliveries.release_all().await?;
            steward.shares.give_back().await?;
            steward.usage.write_down().await
        });
        if let Err(error) = ended.await {
            tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "background work did not end in order");
        }
    }
}

/// Runs work of the service itself on the background lane.
async fn background<F: Future>(work: F) -> F::Output {
    Work { lane: Lane::Background, tenant: Tenant::Service }.scope(work).await
}

async fn run(job: Job, context: Arc<Context>, registry: Arc<JobRegistry>, mut stopping: watch::Receiver<bool>) {
    let (shortest, longest) = job.rest;
    let mut rest = shortest;
    let mut is_behind = false;
    loop {
        let began = Instant::now();
        let outcome = background((job.step)(context.clone())).await;
        registry.record(job.name, context.steward.clock.now(), began.elapsed(), outcome.as_ref().ok().copied());
        let wait = match outcome {
            Ok(Step { more: true, .. }) => {
                is_behind = true;
                rest = shortest;
                job.pause
            }
            Ok(Step { done, .. }) => {
                if std::mem::take(&mut is_behind) {
                    tracing::info!(job = job.name, "a background job has caught up");
                }
                rest = if done > 0 { shortest } else { longest.min(rest.saturating_mul(2)) };
                rest
            }
            Err(error) => {
                tracing::warn!(job = job.name, error = %anyhow::Error::new(error).root_cause(), "a background job failed");
                longest
            }
        };
        tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => return,
            () = context.deliver.notified(), if job.name == DELIVERY => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
}
