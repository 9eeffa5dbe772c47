//! Projects: the overview.

use askama::Template;
use steward_domain::administration::{Period, ProjectUsage, RequestStats, UserStats};
use steward_domain::kernel::policy::{Lane, Operation, Quota, Quotas};
use steward_domain::kernel::work::Work;

use crate::console::administration::key::snippets::Snippet;
use crate::console::data::schema::draft::Drafts;
use crate::console::frame::{ProjectScope, Shell, Signed, Timestamp};
use crate::error::{PageError, PageResult};

use super::bar_chart::BarChart;
use super::number::{count, size};

/// The periods of the chart, in days.
const PERIODS: [&str; 3] = ["7", "30", "90"];
const DEFAULT_PERIOD: &str = "30";

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
        needs_schema: usage.schema_versions == 0 && scope.permitted.may(Operation::SchemaPublish),
        needs_key: usage.keys == 0 && scope.permitted.may(Operation::KeyCreate),
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
    /// Whether publishing a schema is a next step.
    needs_schema: bool,
    /// Whether creating a key is a next step.
    needs_key: bool,
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
