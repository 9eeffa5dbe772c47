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

/// Declares the jobs: the name, the minimum and the maximum sleep and the pause in milliseconds, and the step.
macro_rules! jobs {
    ($($name:expr, $shortest:literal..=$longest:literal, $pause:literal, $on:ident => $step:expr;)+) => {
        const JOBS: &[Job] = &[$(Job {
            name: $name,
            rest: (Duration::from_millis($shortest), Duration::from_millis($longest)),
            pause: Duration::from_millis($pause),
            step: |$on| Box::pin(async move { $step.await }),
        }),+];
    };
}

jobs! {
    "server_keys", 60_000..=60_000, 0, on => done(on.steward.server_keys.maintain());
    "credential_use", 5_000..=5_000, 0, on => done(on.steward.usage.flush());
    "audit_seal", 100..=500, 2, on => seal(on);
    DELIVERY, 500..=4_000, 0, on => deliver(on);
    "webhook_lease", 1_500..=1_500, 0, on => done(on.steward.deliveries.renew());
    "logout_delivery", 500..=4_000, 0, on => deliver_logouts(on);
    "audit_retention", 600_000..=600_000, 20, on => on.steward.audit.retention_step();
    "project_cleanup", 1_000..=60_000, 20, on => on.steward.project_cleanup.step();
    "account_cleanup", 1_000..=15_000, 20, on => on.steward.account_deletions.step();
    "user_cleanup", 1_000..=15_000, 20, on => on.steward.user_deletions.step();
    "factor_removal", 1_000..=8_000, 20, on => on.steward.factor_removals.step();
    "expiry", 60_000..=60_000, 20, on => on.steward.expiry.step();
    "item_import", 500..=2_000, 5, on => on.steward.item_imports.step();
    "item_index", 2_000..=2_000, 20, on => on.steward.item_indexing.step();
}

/// A step that leaves no work.
async fn done(work: impl Future<Output = Result<usize, Error>>) -> Result<Step, Error> {
    work.await.map(|done| Step { done, more: false })
}

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
                tracing::warn!(job = job.name, error = %anyhow::Error::new(error).root_cause(), "A background job failed.");
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
