//! Projects: the overview.

use askama::Template;
use steward_domain::administration::{Period, ProjectUsage, RequestStats, UserStats};
use steward_domain::data::UserFilter;
use steward_domain::kernel::PageRequest;
use steward_domain::kernel::policy::{Lane, Operation, Quota, Quotas};
use steward_domain::kernel::work::Work;

use crate::console::administration::key::snippets::Snippet;
use crate::console::data::schema::draft::Drafts;
use crate::console::frame::{ProjectScope, Shell, Signed, Timestamp};
use crate::error::{PageError, PageResult};

use super::bar_chart::BarChart;
use super::connect::last_key;
use super::number::{count, size};

/// The periods of the chart, in days.
const PERIODS: [&str; 3] = ["7", "30", "90"];
const DEFAULT_PERIOD: &str = "30";
const FIRST_PERSON: &str = "Sign in as the first person";

/// Shows the overview of a project.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let (project, usage) = signed.steward().projects.get(&signed.caller, scope.project.id).await?;
    let (usage, address) = (usage.unwrap_or_default(), &signed.steward().address);
    let shell = scope.shell(&signed, "Overview").await?;
    let days = signed.query("days");
    let days = PERIODS.into_iter().find(|period| *period == days).unwrap_or(DEFAULT_PERIOD);
    let period = Period::parse(days).unwrap_or_default();
    signed.page(&ProjectOverview {
        shell,
        steps: steps(&signed, &scope, &usage).await?,
        api: address.at(&format!("/project/{}", project.id)),
        did: address.project_did(project.id),
        snippets: Snippet::of_project(address, project.id, "YOUR_API_KEY"),
        usage: usage_lines(&usage, &signed.steward().quotas),
        requests: requests(&signed, &scope, period).await?,
        drafts: Drafts::of(&signed, &scope).await?,
        users: users(&signed, &scope, period).await?,
        days,
        scope,
    })
}

/// A step on the way to production.
struct Step {
    label: &'static str,
    is_done: bool,
    /// Where the person takes it.
    address: Option<String>,
}

/// Returns the steps with what is done; none to a person who cannot take them, and none once all are done.
async fn steps(signed: &Signed, scope: &ProjectScope, usage: &ProjectUsage) -> Result<Vec<Step>, PageError> {
    let (steward, caller, project) = (signed.steward(), &signed.caller, &scope.project);
    let may = |operation| scope.permitted.may(operation);
    if !may(Operation::ProjectUpdate) {
        return Ok(Vec::new());
    }
    let page = PageRequest { limit: Some(20), ..PageRequest::FIRST };
    let users = match may(Operation::UserList) {
        true => steward.project_users.list(caller, project.id, &UserFilter::default(), &page).await?.items,
        false => Vec::new(),
    };
    let has_colleague = match may(Operation::MemberList) {
        true => steward.members.list(caller, project.team_id, &page).await?.items.len() > 1,
        false => false,
    };
    let is_connected = users.iter().any(|found| !found.user.is_test_person());
    let is_connected = is_connected || last_key(signed, scope).await?.is_some();
    let is_in_production = project.sign_in.redirect_uris.iter().any(|uri| uri.as_str().starts_with("https://"));
    let step = |label, is_done, operation, address: String| Step {
        label,
        is_done,
        address: (!is_done && may(operation)).then_some(address),
    };
    // Nobody else can take this step.
    let mail = signed.signed_in.account.is_operator.then(|| Step {
        label: "Set up a mail server",
        is_done: steward.email_changes.sends_emails(),
        address: Some("/console/operator/mail".to_owned()),
    });
    let invite = format!("/console/teams/{}/invites/new", project.team_id);
    let steps = [
        step("Publish a schema", usage.schema_versions > 0, Operation::SchemaPublish, scope.at("/schema")),
        step("Connect your app", is_connected, Operation::SettingsGet, scope.at("/connect")),
        step(FIRST_PERSON, !users.is_empty(), Operation::UserList, scope.at("/connect")),
        step("Store the first item", usage.items > 0, Operation::UserList, scope.at("/users")),
        step("Add the address of production", is_in_production, Operation::SettingsGet, scope.at("/sign-in")),
        step("Invite a colleague", has_colleague, Operation::InviteCreate, invite),
    ];
    let steps: Vec<_> = steps.into_iter().chain(mail).collect();
    Ok(if steps.iter().all(|step| step.is_done) { Vec::new() } else { steps })
}

/// Returns the statistics of the users, if the person may see the users.
async fn users(
    signed: &Signed,
    scope: &ProjectScope,
    period: Period,
) -> Result<Option<(UserStats, BarChart)>, PageError> {
    if !scope.permitted.may(Operation::UserStats) {
        return Ok(None);
    }
    signed.begin(Operation::UserStats, 0)?;
    // The last step of the page: the statistics are not read from an index.
    Work::set_lane(Lane::Heavy);
    let stats = signed.steward().project_users.stats(&signed.caller, scope.project.id, period).await?;
    let chart = BarChart::of("users", "Active users", &stats.series);
    Ok(Some((stats, chart)))
}

async fn requests(
    signed: &Signed,
    scope: &ProjectScope,
    period: Period,
) -> Result<(RequestStats, BarChart), PageError> {
    let stats = signed.steward().projects.request_stats(&signed.caller, scope.project.id, period).await?;
    let chart = BarChart::of("requests", "Requests", &stats.series);
    Ok((stats, chart))
}

/// What the project uses of a quota.
struct UsageLine {
    label: &'static str,
    used: String,
    limit: String,
    percent: u64,
}

fn usage_lines(usage: &ProjectUsage, quotas: &Quotas) -> Vec<UsageLine> {
    let line = |label, used: u64, quota, format: fn(u64) -> String| {
        let limit = quotas.limit(quota);
        let percent = used.saturating_mul(100).checked_div(limit).unwrap_or_default();
        UsageLine { label, used: format(used), limit: format(limit), percent }
    };
    vec![
        line("Items", usage.items, Quota::ItemsPerProject, count),
        line("Size of the items", usage.bytes, Quota::BytesPerProject, size),
        line("API keys", usage.keys, Quota::KeysPerProject, count),
        line("Webhooks", usage.webhooks, Quota::WebhooksPerProject, count),
        line("Schema versions", usage.schema_versions, Quota::SchemaVersionsPerProject, count),
    ]
}

#[derive(Template)]
#[template(path = "console/administration/project/overview.html")]
struct ProjectOverview {
    shell: Shell,
    scope: ProjectScope,
    /// What is to be done until the project is in production; empty once everything is.
    steps: Vec<Step>,
    api: String,
    did: String,
    snippets: Vec<Snippet>,
    usage: Vec<UsageLine>,
    drafts: Drafts,
    users: Option<(UserStats, BarChart)>,
    requests: (RequestStats, BarChart),
    /// The period of the charts.
    days: &'static str,
}

impl ProjectOverview {
    /// Whether the person may add a test person to a project without users.
    fn can_test(&self) -> bool {
        let may = |operation| self.scope.permitted.may(operation);
        let lacks_people = self.steps.iter().any(|step| step.label == FIRST_PERSON && !step.is_done);
        lacks_people && may(Operation::UserUpdate) && may(Operation::ItemCreate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_compared_with_its_quota() {
        let quotas = Quotas::default().with(Quota::KeysPerProject, 8).with(Quota::WebhooksPerProject, 0);
        let usage = ProjectUsage { keys: 2, ..ProjectUsage::default() };
        let lines = usage_lines(&usage, &quotas);
        let keys = lines.iter().find(|line| line.label == "API keys").unwrap();
        assert_eq!((keys.used.as_str(), keys.limit.as_str(), keys.percent), ("2", "8", 25));
        assert!(lines.iter().all(|line| line.percent <= 100));
    }
}
