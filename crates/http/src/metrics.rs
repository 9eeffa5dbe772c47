//! Metrics in the Prometheus text format. They are served on a separate address, never on the public one
//! (docs/contract.md#health).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use prometheus::TextEncoder;
use steward_domain::Steward;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::jobs::JobRegistry;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::{Tenant, Work};
use steward_domain::kernel::{LaneStats, PoolStats, Time};
use steward_web::Web;

use crate::error::ApiError;
use crate::sync::SyncHub;

mod backlog;
mod snapshot;
mod sync;

use snapshot::{Snapshot, labelled, number, seconds, size};

/// The commit that the program was built from, if the build sets it, as `make dist` does.
const REVISION: &str = match option_env!("STEWARD_REVISION") {
    Some(revision) => revision,
    None => "",
};

/// The sources of all metrics.
#[derive(Clone)]
pub struct MetricsSources {
    /// Statistics of requests, rate limits, and the bytes of requests and responses in memory.
    pub web: Web,
    /// Statistics of lanes, compute pools, sign-ins, quotas and the backlog.
    pub steward: Arc<Steward>,
    /// Statistics of the background jobs.
    pub jobs: Arc<JobRegistry>,
    /// The connected devices.
    pub sync: Arc<SyncHub>,
    /// Returns the number of dropped log lines.
    pub dropped_log_lines: Arc<dyn Fn() -> u64 + Send + Sync>,
}

/// Mounts only `/metrics`.
pub fn configure_metrics(app: &mut web::ServiceConfig, sources: &MetricsSources) {
    app.app_data(web::Data::new(sources.clone())).route("/metrics", web::get().to(expose));
}

async fn expose(sources: web::Data<MetricsSources>) -> Result<HttpResponse, ApiError> {
    let snapshot = sources.snapshot().await.map_err(|error| Error::Internal(error.into()))?;
    let mut families = sources.web.metrics.gather();
    families.extend(snapshot.gather());
    let text = TextEncoder::new().encode_to_string(&families);
    let text = text.map_err(|error| Error::Internal(error.into()))?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}

impl MetricsSources {
    /// Collects the current statistics of all parts of the service.
    async fn snapshot(&self) -> Result<Snapshot, prometheus::Error> {
        let mut snapshot = Snapshot::default();
        let now = self.steward.clock.now();
        self.lanes(&mut snapshot)?;
        self.pools(&mut snapshot)?;
        self.jobs(&mut snapshot, now)?;
        self.refusals(&mut snapshot)?;
        sync::add(&mut snapshot, &self.sync)?;
        self.in_flight(&mut snapshot)?;
        snapshot.counter(
            "steward_log_lines_dropped_total",
            "Log lines dropped because the queue was full.",
            &[],
            &[(&[], number((self.dropped_log_lines)()))],
        )?;
        Self::build(&mut snapshot)?;
        self.emails(&mut snapshot)?;
        let background = Work { lane: Lane::Background, tenant: Tenant::Service };
        // If the database is unavailable, the other metrics are still reported.
        if let Ok(pending) = background.scope(self.steward.backlog.backlog(now)).await {
            backlog::add(&mut snapshot, &pending, now)?;
        }
        Ok(snapshot)
    }

    fn lanes(&self, snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let lanes = self.steward.health.lanes();
        let names = &["pool", "lane"];
        let labels: Vec<[&str; 2]> = lanes.iter().map(|lane| [lane.pool, lane.lane.as_str()]).collect();
        let rows = |of: &dyn Fn(&LaneStats) -> f64| -> Vec<(&[&str], f64)> {
            labels.iter().zip(&lanes).map(|(labels, lane)| (labels.as_slice(), of(lane))).collect()
        };
        snapshot.gauge(
            "steward_lane_queued",
            "Jobs that are waiting for a database worker.",
            names,
            &rows(&|l| size(l.queued)),
        )?;
        snapshot.gauge("steward_lane_running", "Jobs that are running.", names, &rows(&|l| size(l.running)))?;
        snapshot.gauge("steward_lane_workers", "Database workers.", names, &rows(&|l| size(l.workers)))?;
        snapshot.gauge(
            "steward_lane_connections",
            "Workers with a connection.",
            names,
            &rows(&|l| size(l.connections)),
        )?;
        snapshot.counter("steward_lane_jobs_total", "Jobs that completed.", names, &rows(&|l| number(l.done)))?;
        let statements = rows(&|l| number(l.statements));
        let help = "Times that a worker ran a job, or several jobs in one statement.";
        snapshot.counter("steward_lane_statements_total", help, names, &statements)?;
        let waited = rows(&|l| l.waited.as_secs_f64());
        snapshot.counter("steward_lane_wait_seconds_total", "Time that jobs waited.", names, &waited)?;
        let worked = rows(&|l| l.worked.as_secs_f64());
        snapshot.counter("steward_lane_work_seconds_total", "Time that jobs ran.", names, &worked)?;
        let abandoned = rows(&|l| number(l.abandoned));
        let help = "Workers replaced because they did not respond.";
        snapshot.counter("steward_lane_abandoned_total", help, names, &abandoned)?;

        let rejected = lanes.iter().flat_map(|lane| {
            let reasons =
                [("full", lane.refused_full), ("deadline", lane.refused_deadline), ("breaker", lane.refused_breaker)];
            reasons.map(|(reason, count)| ([lane.pool, lane.lane.as_str(), reason], number(count)))
        });
        let rejected: Vec<([&str; 3], f64)> = rejected.collect();
        let rejected: Vec<(&[&str], f64)> =
            rejected.iter().map(|(labels, count)| (labels.as_slice(), *count)).collect();
        snapshot.counter(
            "steward_lane_refusals_total",
            "Jobs that were rejected.",
            &["pool", "lane", "reason"],
            &rejected,
        )
    }

    /// The thread pools for CPU-intensive jobs.
    fn pools(&self, snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let pools = [(["passwords"], self.steward.passwords.stats()), (["documents"], self.steward.compute.stats())];
        let rows = |of: &dyn Fn(&PoolStats) -> f64| -> Vec<(&[&str], f64)> {
            pools.iter().map(|(labels, pool)| (labels.as_slice(), of(pool))).collect()
        };
        let names = &["pool"];
        let queued = rows(&|p| size(p.queued));
        snapshot.gauge("steward_compute_queued", "Jobs that are waiting for a thread.", names, &queued)?;
        snapshot.gauge("steward_compute_running", "Jobs that are running.", names, &rows(&|p| size(p.running)))?;
        snapshot.counter("steward_compute_jobs_total", "Jobs that completed.", names, &rows(&|p| number(p.done)))?;
        let waited = rows(&|p| p.waited.as_secs_f64());
        snapshot.counter("steward_compute_wait_seconds_total", "Time that jobs waited.", names, &waited)?;
        let worked = rows(&|p| p.worked.as_secs_f64());
        snapshot.counter("steward_compute_work_seconds_total", "Time that jobs ran.", names, &worked)?;
        let rejected = rows(&|p| number(p.refused));
        let help = "Jobs rejected because the queue was full or they waited for too long.";
        snapshot.counter("steward_compute_refusals_total", help, names, &rejected)
    }

    fn jobs(&self, snapshot: &mut Snapshot, now: Time) -> Result<(), prometheus::Error> {
        let jobs = self.jobs.all();
        let labels: Vec<[&str; 1]> = jobs.iter().map(|(name, _)| [*name]).collect();
        let rows = |of: &dyn Fn(&steward_domain::kernel::jobs::JobStats) -> f64| -> Vec<(&[&str], f64)> {
            labels.iter().zip(&jobs).map(|(labels, (_, job))| (labels.as_slice(), of(job))).collect()
        };
        let names = &["job"];
        snapshot.counter(
            "steward_job_steps_total",
            "Steps of the job that ran.",
            names,
            &rows(&|j| number(j.steps)),
        )?;
        let failures = rows(&|j| number(j.failures));
        snapshot.counter("steward_job_failures_total", "Steps that failed.", names, &failures)?;
        let done = rows(&|j| number(j.done));
        snapshot.counter("steward_job_done_total", "Entities that the job processed.", names, &done)?;
        let length = rows(&|j| j.total_duration.as_secs_f64());
        snapshot.counter("steward_job_seconds_total", "Time that steps elapsed.", names, &length)?;
        let last = rows(&|j| j.last_run.map_or(0.0, |at| seconds(at - Time::UNIX_EPOCH)));
        snapshot.gauge("steward_job_last_run_timestamp_seconds", "When the last step ended.", names, &last)?;
        let last = rows(&|j| j.last_duration.as_secs_f64());
        snapshot.gauge("steward_job_last_length_seconds", "How long the last step elapsed.", names, &last)?;
        let behind = rows(&|j| j.behind_since.map_or(0.0, |since| seconds(now - since)));
        let help = "Time since the job fell behind; 0 if it has no backlog.";
        snapshot.gauge("steward_job_behind_seconds", help, names, &behind)
    }

    fn refusals(&self, snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let limited: Vec<([&str; 2], f64)> = self
            .web
            .rate_limiter
            .stats()
            .refusals()
            .flat_map(|(class, [credentials, addresses])| {
                let by = [("credential", credentials), ("address", addresses)];
                by.map(|(by, count)| ([class.as_str(), by], number(count)))
            })
            .collect();
        let help = "Requests rejected by a rate limit.";
        snapshot.counter("steward_rate_limited_total", help, &["class", "by"], &labelled(&limited))?;

        let limited: Vec<([&str; 1], f64)> =
            self.steward.action_limiter.refusals().map(|(action, count)| ([action.as_str()], number(count))).collect();
        let help = "Attempts rejected by the limit of an action that guards a secret or sends a message.";
        snapshot.counter("steward_action_limited_total", help, &["action"], &labelled(&limited))?;

        let outcomes: Vec<([&str; 1], f64)> =
            self.steward.sign_ins.outcomes().map(|(outcome, count)| ([outcome.as_str()], number(count))).collect();
        let help = "Sign-ins by password, by outcome.";
        snapshot.counter("steward_sign_ins_total", help, &["outcome"], &labelled(&outcomes))?;

        let over: Vec<([&str; 1], f64)> =
            self.steward.quota_stats.refusals().map(|(quota, count)| ([quota.as_str()], number(count))).collect();
        let help = "Requests rejected by a quota.";
        snapshot.counter("steward_quota_exceeded_total", help, &["quota"], &labelled(&over))
    }

    fn build(snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let labels = &["version", "revision"];
        let help = "The version and the commit that the program was built from; always 1.";
        snapshot.gauge("steward_build_info", help, labels, &[(&[env!("CARGO_PKG_VERSION"), REVISION], 1.0)])
    }

    fn emails(&self, snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let emails = self.steward.mailer.stats();
        let rows = [(["sent"], number(emails.sent)), (["failed"], number(emails.failed))];
        let help = "Emails that the mail server accepted (sent), and that were dropped (failed).";
        snapshot.counter("steward_emails_total", help, &["outcome"], &labelled(&rows))
    }

    fn in_flight(&self, snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let (requests, responses) = (self.web.in_flight.requests().total(), self.web.in_flight.responses().total());
        let rows = [(["request"], size(requests)), (["response"], size(responses))];
        let help =
            "Bytes of large request bodies that are being processed, and of large responses that wait to be read.";
        snapshot.gauge("steward_in_flight_bytes", help, &["direction"], &labelled(&rows))
    }
}
