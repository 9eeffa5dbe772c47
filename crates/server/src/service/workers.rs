//! Background jobs. Each job runs bounded steps, with pauses in which other work can run, until no work is left; then
//! it sleeps. A job that fails is retried after a sleep and does not stop other jobs.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::rt;
use steward_domain::Steward;
use steward_domain::identity::{LogoutAttempt, LogoutDelivery};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::jobs::{JobRegistry, Step};
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::{Tenant, Work};
use tokio::sync::{Notify, watch};

/// How long to wait for running steps when the service stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// State that all steps share.
struct Context {
    steward: Arc<Steward>,
    /// Wakes the job that delivers webhooks.
    deliver: Notify,
}

/// One bounded step of a job.
type StepFuture = Pin<Box<dyn Future<Output = Result<Step, Error>>>>;

/// A recurring job.
#[derive(Clone, Copy)]
struct Job {
    /// Name in logs and metrics.
    name: &'static str,
    /// Minimum and maximum sleep when no work is left. The sleep doubles after each step that found no work.
    rest: (Duration, Duration),
    /// Delay between two steps.
    pause: Duration,
    step: fn(Arc<Context>) -> StepFuture,
}

/// The job that is woken from its sleep when new events arrive.
const DELIVERY: &str = "webhook_delivery";

const JOBS: [Job; 14] = [
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
        step: |on| Box::pin(async move { on.steward.usage.flush().await.map(|done| Step { done, more: false }) }),
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
        name: "logout_delivery",
        rest: (Duration::from_millis(500), Duration::from_secs(4)),
        pause: Duration::ZERO,
        step: |on| Box::pin(deliver_logouts(on)),
    },
    Job {
        name: "audit_retention",
        rest: (Duration::from_secs(600), Duration::from_secs(600)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.audit.retention_step().await }),
    },
    Job {
        name: "project_cleanup",
        rest: (Duration::from_secs(1), Duration::from_secs(60)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.project_cleanup.step().await }),
    },
    Job {
        name: "account_cleanup",
        rest: (Duration::from_secs(1), Duration::from_secs(15)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.account_deletions.step().await }),
    },
    Job {
        name: "user_cleanup",
        rest: (Duration::from_secs(1), Duration::from_secs(15)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.user_deletions.step().await }),
    },
    Job {
        name: "factor_removal",
        rest: (Duration::from_secs(1), Duration::from_secs(8)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.factor_removals.step().await }),
    },
    Job {
        name: "expiry",
        rest: (Duration::from_secs(60), Duration::from_secs(60)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.expiry.step().await }),
    },
    Job {
        name: "item_import",
        rest: (Duration::from_millis(500), Duration::from_secs(2)),
        pause: Duration::from_millis(5),
        step: |on| Box::pin(async move { on.steward.item_imports.step().await }),
    },
    Job {
        name: "item_index",
        rest: (Duration::from_secs(2), Duration::from_secs(2)),
        pause: Duration::from_millis(20),
        step: |on| Box::pin(async move { on.steward.item_indexing.step().await }),
    },
];

/// Seals audit events, then wakes the delivery of webhooks.
async fn seal(on: Arc<Context>) -> Result<Step, Error> {
    let step = on.steward.audit.seal_step().await?;
    if step.done > 0 {
        on.deliver.notify_one();
    }
    Ok(step)
}

/// Starts the deliveries to the webhooks that are due.
async fn deliver(on: Arc<Context>) -> Result<Step, Error> {
    let due = on.steward.deliveries.claim().await?;
    let done = due.len();
    for due in due {
        let on = on.clone();
        rt::spawn(background(async move {
            if let Err(error) = on.steward.deliveries.deliver(due).await {
                tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "A webhook delivery failed.");
            }
            // Its slot is free for another delivery.
            on.deliver.notify_one();
        }));
    }
    Ok(Step { done, more: false })
}

/// Sends the logout tokens that are due, concurrently.
async fn deliver_logouts(on: Arc<Context>) -> Result<Step, Error> {
    let claimed = on.steward.logout_deliveries.claim().await?;
    let done = claimed.len();
    let start = |delivery| rt::spawn(background(deliver_logout(on.clone(), delivery)));
    let attempts: Vec<_> = claimed.into_iter().map(start).collect();
    for attempt in attempts {
        // A panic is logged where it happens. The delivery is due again later.
        drop(attempt.await);
    }
    Ok(Step { done, more: false })
}

async fn deliver_logout(on: Arc<Context>, delivery: LogoutDelivery) {
    let project = delivery.project_id;
    match on.steward.logout_deliveries.deliver(delivery).await {
        Ok(LogoutAttempt::Completed) => {}
        Ok(LogoutAttempt::Failed(reason)) => {
            tracing::info!(%project, reason, "A logout token could not be delivered. It is sent again later.");
        }
        Ok(LogoutAttempt::Abandoned(reason)) => {
            tracing::warn!(%project, reason, "A logout token could not be delivered. It is not sent again.");
        }
        Err(error) => {
            let error = anyhow::Error::new(error);
            tracing::warn!(%project, error = %error.root_cause(), "The delivery of a logout token failed.");
        }
    }
}

/// The running jobs.
pub struct Workers {
    context: Arc<Context>,
    stopping: watch::Sender<bool>,
    running: Vec<rt::task::JoinHandle<()>>,
}

impl Workers {
    /// Starts every job. The registry records the result of each step.
    pub fn start(steward: &Arc<Steward>, registry: &Arc<JobRegistry>) -> Self {
        let context = Arc::new(Context { steward: steward.clone(), deliver: Notify::new() });
        let (stopping, stopped) = watch::channel(false);
        let start = |job: &Job| rt::spawn(run(*job, context.clone(), registry.clone(), stopped.clone()));
        Self { running: JOBS.iter().map(start).collect(), context, stopping }
    }

    /// Starts no more steps, waits for the running ones, releases the deliveries that this process has claimed to other
    /// replicas, and stores what is only in memory.
    pub async fn stop(self) {
        self.stopping.send_replace(true);
        let deliveries = &self.context.steward.deliveries;
        let deadline = Instant::now() + STOP_TIMEOUT;
        while deliveries.stop() > 0 && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for job in self.running {
            if tokio::time::timeout(deadline.saturating_duration_since(Instant::now()), job).await.is_err() {
                tracing::warn!("A background job did not stop in time.");
            }
        }
        let steward = &self.context.steward;
        let result = background(async {
            deliveries.release_all().await?;
            steward.shares.refund().await?;
            steward.usage.flush().await
        });
        if let Err(error) = result.await {
            tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "Background work did not stop cleanly.");
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
        let started_at = Instant::now();
        let outcome = background((job.step)(context.clone())).await;
        registry.record(job.name, context.steward.clock.now(), started_at.elapsed(), outcome.as_ref().ok().copied());
        let wait = match outcome {
            Ok(Step { more: true, .. }) => {
                is_behind = true;
                rest = shortest;
                job.pause
            }
            Ok(Step { done, .. }) => {
                if std::mem::take(&mut is_behind) {
                    tracing::info!(job = job.name, "A background job has caught up.");
                }
                rest = if done > 0 { shortest } else { longest.min(rest.saturating_mul(2)) };
                rest
            }
            Err(error) => {
                let error = anyhow::Error::new(error);
                tracing::warn!(job = job.name, error = %error.root_cause(), "A background job failed.");
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
