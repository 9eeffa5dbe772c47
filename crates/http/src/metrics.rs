//! Metrics in the Prometheus text format. They are served on a separate address, never on the public one
//! (docs/contract.md#health).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use prometheus::TextEncoder;
use steward_domain::Steward;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::jobs::{JobRegistry, JobStats};
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::{Tenant, Work};
use steward_domain::kernel::{LaneStats, PoolStats, Time};
use steward_web::Web;

use crate::error::ApiError;
use crate::sync::SyncHub;

mod backlog;
mod snapshot;
mod sync;

use snapshot::{Metric, Snapshot, number, seconds, size};

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
        self.others(&mut snapshot)?;
        let background = Work { lane: Lane::Background, tenant: Tenant::Service };
        // If the database is unavailable, the other metrics are still reported.
        if let Ok(pending) = background.scope(self.steward.backlog.backlog(now)).await {
            backlog::add(&mut snapshot, &pending, now)?;
        }
        Ok(snapshot)
    }

    fn lanes(&self, snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let lanes = self.steward.health.lanes();
        let rejected = lanes.iter().flat_map(|lane| {
            let reasons =
                [("full", lane.refused_full), ("deadline", lane.refused_deadline), ("breaker", lane.refused_breaker)];
            reasons.map(|(reason, count)| ([lane.pool, lane.lane.as_str(), reason], number(count)))
        });
        let labels = ["pool", "lane", "reason"];
        snapshot.add("steward_lane_refusals_total", "Jobs that were rejected.", labels, rejected)?;

        let lanes = lanes.into_iter().map(|lane| ([lane.pool, lane.lane.as_str()], lane));
        let metrics: [Metric<LaneStats>; 9] = [
            ("steward_lane_queued", "Jobs that are waiting for a database worker.", |lane| size(lane.queued)),
            ("steward_lane_running", "Jobs that are running.", |lane| size(lane.running)),
            ("steward_lane_workers", "Database workers.", |lane| size(lane.workers)),
            ("steward_lane_connections", "Workers with a connection.", |lane| size(lane.connections)),
            ("steward_lane_jobs_total", "Jobs that completed.", |lane| number(lane.done)),
            (
                "steward_lane_statements_total",
                "Times that a worker ran a job, or several jobs in one statement.",
                |lane| number(lane.statements),
            ),
            ("steward_lane_wait_seconds_total", "Time that jobs waited.", |lane| lane.waited.as_secs_f64()),
            ("steward_lane_work_seconds_total", "Time that jobs ran.", |lane| lane.worked.as_secs_f64()),
            ("steward_lane_abandoned_total", "Workers replaced because they did not respond.", |lane| {
                number(lane.abandoned)
            }),
        ];
        snapshot.add_each(["pool", "lane"], lanes, metrics)
    }

    /// The thread pools for CPU-intensive jobs.
    fn pools(&self, snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let pools = [(["passwords"], self.steward.passwords.stats()), (["documents"], self.steward.compute.stats())];
        let refused = "Jobs rejected because the queue was full or they waited for too long.";
        let metrics: [Metric<PoolStats>; 6] = [
            ("steward_compute_queued", "Jobs that are waiting for a thread.", |pool| size(pool.queued)),
            ("steward_compute_running", "Jobs that are running.", |pool| size(pool.running)),
            ("steward_compute_jobs_total", "Jobs that completed.", |pool| number(pool.done)),
            ("steward_compute_wait_seconds_total", "Time that jobs waited.", |pool| pool.waited.as_secs_f64()),
            ("steward_compute_work_seconds_total", "Time that jobs ran.", |pool| pool.worked.as_secs_f64()),
            ("steward_compute_refusals_total", refused, |pool| number(pool.refused)),
        ];
        snapshot.add_each(["pool"], pools, metrics)
    }

    fn jobs(&self, snapshot: &mut Snapshot, now: Time) -> Result<(), prometheus::Error> {
        let jobs = self.jobs.all();
        let behind =
            jobs.iter().map(|(name, job)| ([*name], job.behind_since.map_or(0.0, |since| seconds(now - since))));
        let help = "Time since the job fell behind; 0 if it has no backlog.";
        snapshot.add("steward_job_behind_seconds", help, ["job"], behind)?;

        let metrics: [Metric<JobStats>; 6] = [
            ("steward_job_steps_total", "Steps of the job that ran.", |job| number(job.steps)),
            ("steward_job_failures_total", "Steps that failed.", |job| number(job.failures)),
            ("steward_job_done_total", "Entities that the job processed.", |job| number(job.done)),
            ("steward_job_seconds_total", "Time that steps elapsed.", |job| job.total_duration.as_secs_f64()),
            ("steward_job_last_run_timestamp_seconds", "When the last step ended.", |job| {
                job.last_run.map_or(0.0, |at| seconds(at - Time::UNIX_EPOCH))
            }),
            ("steward_job_last_length_seconds", "How long the last step elapsed.", |job| {
                job.last_duration.as_secs_f64()
            }),
        ];
        snapshot.add_each(["job"], jobs.into_iter().map(|(name, job)| ([name], job)), metrics)
    }

    fn refusals(&self, snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let limited = self.web.rate_limiter.stats.refusals().flat_map(|(class, [credentials, addresses])| {
            let by = [("credential", credentials), ("address", addresses)];
            by.map(|(by, count)| ([class.as_str(), by], number(count)))
        });
        let help = "Requests rejected by a rate limit.";
        snapshot.add("steward_rate_limited_total", help, ["class", "by"], limited)?;

        let limited = self.steward.action_limiter.refusals().map(|(action, count)| ([action.as_str()], number(count)));
        let help = "Attempts rejected by the limit of an action that guards a secret or sends a message.";
        snapshot.add("steward_action_limited_total", help, ["action"], limited)?;

        let outcomes = self.steward.sign_ins.outcomes().map(|(outcome, count)| ([outcome.as_str()], number(count)));
        let help = "Sign-ins by password, by outcome.";
        snapshot.add("steward_sign_ins_total", help, ["outcome"], outcomes)?;

        let over = self.steward.quota_stats.refusals().map(|(quota, count)| ([quota.as_str()], number(count)));
        snapshot.add("steward_quota_exceeded_total", "Requests rejected by a quota.", ["quota"], over)
    }

    fn others(&self, snapshot: &mut Snapshot) -> Result<(), prometheus::Error> {
        let help = "Log lines dropped because the queue was full.";
        let dropped = number((self.dropped_log_lines)());
        snapshot.add("steward_log_lines_dropped_total", help, [], [([], dropped)])?;

        let help = "The version and the commit that the program was built from; always 1.";
        let build = [([env!("CARGO_PKG_VERSION"), REVISION], 1.0)];
        snapshot.add("steward_build_info", help, ["version", "revision"], build)?;

        let emails = self.steward.mailer.stats();
        let rows = [(["sent"], number(emails.sent)), (["failed"], number(emails.failed))];
        let help = "Emails that the mail server accepted (sent), and that were dropped (failed).";
        snapshot.add("steward_emails_total", help, ["outcome"], rows)?;

        let (requests, responses) = (self.web.in_flight.requests.total(), self.web.in_flight.responses.total());
        let rows = [(["request"], size(requests)), (["response"], size(responses))];
        let help =
            "Bytes of large request bodies that are being processed, and of large responses that wait to be read.";
        snapshot.add("steward_in_flight_bytes", help, ["direction"], rows)
    }
}
