//! `steward logs`: the newest requests of a project.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::Args;
use steward_client::{LoggedRequest, RequestParameters};
use tokio::time::sleep;

use crate::remote::output::pages;
use crate::remote::parent::ParentId;
use crate::remote::people::Actors;
use crate::remote::reachable::until_reachable;
use crate::remote::{Context, ProjectOption};
use crate::terminal::{self, UsageError};

pub const EXAMPLES: &str = "Examples:
  steward logs --project shop --follow
  steward logs --project shop --key Server --status 4xx
  steward logs --project shop --follow --route /db/ --json --fields at,status,route

Each instance of the service has the newest requests in memory, some 600 of each project. The command shows those of
the instance that responds, and with --follow those of all instances that respond. With --json, each request is one
line.";

/// How often to ask for new requests.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of requests in memory.
const PAGE_SIZE: u16 = 1_000;

#[derive(Debug, Args)]
pub struct Logs {
    #[command(flatten)]
    project: ProjectOption,
    /// Wait for new requests
    #[arg(long)]
    follow: bool,
    /// Only requests with this API key: its ID or label
    #[arg(long)]
    key: Option<String>,
    /// Only requests with this status, such as 404, or 4xx
    #[arg(long)]
    status: Option<String>,
    /// Only requests whose route contains this text, such as /db/
    #[arg(long, value_name = "TEXT")]
    route: Option<String>,
    /// Only requests with this method
    #[arg(long)]
    method: Option<String>,
    /// Maximum number of earlier requests
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

pub async fn run(context: &Context, arguments: Logs) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let caller = match &arguments.key {
        Some(key) => Some(key_id(context, &project, key).await?),
        None => None,
    };
    let Logs { follow, status, route, method, limit, .. } = arguments;
    let mut which = RequestParameters { after: None, limit: Some(limit), caller, method, route, status };
    let projects = context.client.projects();
    let mut page = projects.requests(&project, &which).json().await?;
    let actors = if context.output.is_json {
        None
    } else {
        Some(Actors::of(context, &ParentId::Project(project.clone())).await)
    };
    let mut instances = BTreeSet::from([page.instance.clone()]);
    loop {
        if page.truncated {
            terminal::note("Requests are missing here: there were more than the service keeps.");
        }
        for request in &page.data {
            match &actors {
                Some(actors) => terminal::print(&terminal::printable(&line(request, actors)))?,
                None => context.output.line(request)?,
            }
        }
        if !follow {
            return Ok(());
        }
        if page.data.is_empty() {
            sleep(POLL_INTERVAL).await;
        }
        (which.after, which.limit) = (Some(page.next), Some(PAGE_SIZE));
        page = until_reachable(async || projects.requests(&project, &which).json().await).await?;
        if instances.insert(page.instance.clone()) && instances.len() == 2 {
            terminal::note("Another instance of the service responds, too. Its requests are also shown, out of order.");
        }
    }
}

/// Returns the ID of an API key that is named by its ID or label.
async fn key_id(context: &Context, project: &str, key: &str) -> anyhow::Result<String> {
    let keys = context.client.keys(project).list();
    let found = pages::id(key, keys, |other| (other.label == key).then_some(other.id)).await?;
    let unknown = || UsageError(format!("The project has no API key with the label {key:?}. See `steward key list`."));
    Ok(found.ok_or_else(unknown)?)
}

fn line(request: &LoggedRequest, actors: &Actors) -> String {
    let LoggedRequest { at, request_id, method, route, status, error, took_ms, caller, .. } = request;
    let caller = caller.as_ref().map(|caller| {
        let id = caller.id.to_string();
        format!("{} {}", caller.kind, actors.get(&id).unwrap_or(&id))
    });
    let parts = [error.as_deref(), caller.as_deref()].into_iter().flatten().map(|part| format!("  {part}"));
    let rest: String = parts.collect();
    format!("{at}  {status}  {took_ms:>8.2} ms  {method:<6}  {route}{rest}  {request_id}")
}
