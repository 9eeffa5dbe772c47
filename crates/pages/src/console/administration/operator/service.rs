//! The state of the service, for its operators: health, background jobs, settings, and a test of the mail server.

use askama::Template;
use steward_domain::administration::PartState;
use steward_domain::kernel::error::{Error, Forbidden};
use steward_domain::kernel::jobs::JobStats;
use steward_domain::kernel::{Backlog, EffectiveSetting};

use crate::console::frame::{Crumb, FormState, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};

/// The address of the pages of operators.
pub(crate) const ADDRESS: &str = "/console/operator";

impl Signed {
    /// Returns the layout of a page of operators. Fails if the person is not an operator.
    pub(crate) async fn operator_shell(&self, tab: &'static str) -> Result<Shell, PageError> {
        if !self.signed_in.account.is_operator {
            return Err(Error::from(Forbidden::OperatorsOnly).into());
        }
        let crumbs = vec![Crumb::to("Operate this service", ADDRESS), Crumb::here(tab)];
        self.shell(crumbs, self.tabs().of_operator(tab)).await
    }
}

/// Shows the state of each part of the service.
pub(crate) async fn health(signed: Signed) -> PageResult {
    let overview = signed.steward().operators.overview(&signed.caller).await?;
    let parts = overview.health;
    signed.page(&Health {
        shell: signed.operator_shell("Health").await?,
        parts: [
            part_line("Database", &parts.database),
            part_line("Images", &parts.blobs),
            part_line("Mail server", &parts.mail),
        ],
        waiting: overview.backlog.as_ref().map(backlog_lines),
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// The state of a part of the service.
struct PartLine {
    name: &'static str,
    state: &'static str,
    is_working: bool,
    reason: String,
}

fn part_line(name: &'static str, state: &PartState) -> PartLine {
    let (state, reason) = match state {
        PartState::Working => ("Working", ""),
        PartState::NotConfigured => ("Not configured", ""),
        PartState::Failing(reason) => ("Failing", reason.as_str()),
    };
    PartLine { name, state, is_working: state == "Working", reason: reason.to_owned() }
}

/// Work that waits for background jobs.
struct BacklogLine {
    name: &'static str,
    count: u64,
    since: Option<Timestamp>,
}

fn backlog_lines(backlog: &Backlog) -> Vec<BacklogLine> {
    let line = |name, count, since| BacklogLine { name, count, since };
    vec![
        line("Audit events that are not sealed", backlog.unsealed_events, backlog.oldest_unsealed.map(Timestamp::from)),
        line("Webhooks with a delivery that is due", backlog.due_webhooks, backlog.oldest_due.map(Timestamp::from)),
        line("Webhooks whose last delivery failed", backlog.failing_webhooks, None),
    ]
}

#[derive(Template)]
#[template(path = "console/administration/operator/health.html")]
struct Health {
    shell: Shell,
    parts: [PartLine; 3],
    /// `None` if the database does not respond.
    waiting: Option<Vec<BacklogLine>>,
    version: &'static str,
}

/// Shows the background jobs of the process that responds.
pub(crate) async fn jobs(signed: Signed) -> PageResult {
    let overview = signed.steward().operators.overview(&signed.caller).await?;
    signed.page(&Jobs {
        shell: signed.operator_shell("Jobs").await?,
        jobs: overview.jobs.iter().map(|(name, stats)| job_line(name, stats)).collect(),
        waiting: overview.backlog.as_ref().map(backlog_lines),
    })
}

struct JobLine {
    name: String,
    last_run: Option<Timestamp>,
    milliseconds: u128,
    done: u64,
    failures: u64,
    behind_since: Option<Timestamp>,
}

fn job_line(name: &str, stats: &JobStats) -> JobLine {
    JobLine {
        name: name.replace('_', " "),
        last_run: stats.last_run.map(Timestamp::from),
        milliseconds: stats.last_duration.as_millis(),
        done: stats.done,
        failures: stats.failures,
        behind_since: stats.behind_since.map(Timestamp::from),
    }
}

#[derive(Template)]
#[template(path = "console/administration/operator/jobs.html")]
struct Jobs {
    shell: Shell,
    jobs: Vec<JobLine>,
    waiting: Option<Vec<BacklogLine>>,
}

/// Shows the settings in effect. Their values contain no secrets.
pub(crate) async fn settings(signed: Signed) -> PageResult {
    let overview = signed.steward().operators.overview(&signed.caller).await?;
    signed.page(&Settings { shell: signed.operator_shell("Settings").await?, settings: overview.settings })
}

#[derive(Template)]
#[template(path = "console/administration/operator/settings.html")]
struct Settings {
    shell: Shell,
    settings: Vec<EffectiveSetting>,
}

/// Shows the form that sends a test email.
pub(crate) async fn mail(signed: Signed) -> PageResult {
    let shell = signed.operator_shell("Mail").await?;
    let view = Mail {
        shell,
        form: FormState::new(&signed, &[]),
        email: signed.signed_in.account.email.shown(),
        is_configured: signed.steward().email_changes.sends_emails(),
    };
    signed.page(&view)
}

/// Sends a test email to the operator.
pub(crate) async fn send_mail(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let account = signed.steward().operators.send_test_email(&signed.caller).await?;
    signed.next("/console/operator/mail", &format!("A test email to {} is being sent.", account.email.shown()))
}

#[derive(Template)]
#[template(path = "console/administration/operator/mail.html")]
struct Mail<'a> {
    shell: Shell,
    form: FormState,
    email: &'a str,
    is_configured: bool,
}
