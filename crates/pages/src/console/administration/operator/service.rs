//! The state of the service, for its operators: health, background jobs, settings, a test of the mail server, and previews
//! of emails.

use askama::Template;
use steward_domain::administration::PartState;
use steward_domain::identity::EmailMessage;
use steward_domain::kernel::error::{Error, Forbidden};
use steward_domain::kernel::jobs::JobStats;
use steward_domain::kernel::{Backlog, EffectiveSetting, Locale, Time};

use crate::console::frame::{Crumb, FormState, Shell, Signed, Submission, Timestamp};
use crate::email::compose;
use crate::error::{PageError, PageResult};
use crate::response::email_page;

/// The address of the pages of operators.
pub(crate) const ADDRESS: &str = "/console/operator";

impl Signed {
    /// Returns the layout of a page of operators. Fails if the person is not an operator.
    pub(crate) async fn operator_shell(&self, tab: &'static str) -> Result<Shell, PageError> {
        if !self.signed_in.account.is_operator {
            return Err(Error::from(Forbidden::OperatorsOnly).into());
        }
        let crumbs = vec![Crumb::to("Operate this service", ADDRESS), Crumb::here(tab)];
        self.shell(crumbs, self.tabs().below(ADDRESS, tab)).await
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
        sends_emails: signed.steward().email_changes.sends_emails(),
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

/// Work that waits for background jobs: its name, its number and since when.
type BacklogLine = (&'static str, u64, Option<Time>);

fn backlog_lines(backlog: &Backlog) -> [BacklogLine; 3] {
    [
        ("Audit events that are not sealed", backlog.unsealed_events, backlog.oldest_unsealed),
        ("Webhooks with a delivery that is due", backlog.due_webhooks, backlog.oldest_due),
        ("Webhooks whose last delivery failed", backlog.failing_webhooks, None),
    ]
}

#[derive(Template)]
#[template(path = "console/administration/operator/health.html")]
struct Health {
    shell: Shell,
    parts: [PartLine; 3],
    /// `None` if the database does not respond.
    waiting: Option<[BacklogLine; 3]>,
    sends_emails: bool,
    version: &'static str,
}

/// Shows the background jobs of the process that responds.
pub(crate) async fn jobs(signed: Signed) -> PageResult {
    let overview = signed.steward().operators.overview(&signed.caller).await?;
    signed.page(&Jobs {
        shell: signed.operator_shell("Jobs").await?,
        jobs: overview.jobs,
        waiting: overview.backlog.as_ref().map(backlog_lines),
    })
}

#[derive(Template)]
#[template(path = "console/administration/operator/jobs.html")]
struct Jobs {
    shell: Shell,
    /// By name.
    jobs: Vec<(&'static str, JobStats)>,
    waiting: Option<[BacklogLine; 3]>,
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
pub(crate) async fn mail(signed: &Signed, form: FormState) -> PageResult {
    signed.page(&Mail {
        shell: signed.operator_shell("Mail").await?,
        form,
        email: signed.signed_in.account.email.shown(),
        is_configured: signed.steward().email_changes.sends_emails(),
        examples: examples(signed, Locale::English)
            .iter()
            .map(|email| (email.kind.as_str(), compose(email).subject))
            .collect(),
    })
}

/// Shows an example of an email as its recipient sees it.
pub(crate) async fn preview(signed: Signed) -> PageResult {
    drop(signed.operator_shell("Mail").await?);
    let examples = examples(&signed, Locale::parse(&signed.query("language")).unwrap_or_default());
    let name = signed.query("email");
    let found = examples.iter().find(|email| email.kind.as_str() == name).or(examples.first());
    Ok(email_page(found.map(|email| compose(email).html).unwrap_or_default()))
}

fn examples(signed: &Signed, language: Locale) -> Vec<EmailMessage> {
    let steward = signed.steward();
    EmailMessage::examples(&signed.signed_in.account.email, steward.address.as_str(), language, steward.clock.now())
}

/// Sends a test email to the operator.
pub(crate) async fn send_mail(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let account = signed.steward().operators.send_test_email(&signed.caller).await?;
    let state = match signed.steward().email_changes.sends_emails() {
        true => "is being sent",
        false => "was written to the log of the service",
    };
    signed.next("/console/operator/mail", &format!("A test email to {} {state}.", account.email.shown()))
}

#[derive(Template)]
#[template(path = "console/administration/operator/mail.html")]
struct Mail<'a> {
    shell: Shell,
    form: FormState,
    email: &'a str,
    is_configured: bool,
    /// The names and subjects of the emails that can be previewed.
    examples: Vec<(&'static str, String)>,
}
