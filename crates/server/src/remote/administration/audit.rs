//! The subcommands of `steward audit` that use the API.

use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::Args;
use serde_json::Value;
use steward_client::{AuditLog, AuditParameters, Timestamp};
use tokio::time::sleep;

use crate::remote::command::by_hand;
use crate::remote::output::pages::{PAGE_SIZE, Pages};
use crate::remote::parent::{Parent, ParentId};
use crate::remote::people::Actors;
use crate::remote::reachable::until_reachable;
use crate::remote::{Context, ListColumns, PageOptions, Remote};

const COLUMNS: &[&str] = &["at", "action", "actor", "target", "request_id"];
/// How often to ask for new events.
const FOLLOW_INTERVAL: Duration = Duration::from_secs(2);

by_hand! {
    AuditCommand {
        /// List events of a team and its projects, or of a project, newest first
        #[command(after_help = "Examples:\n  steward audit list --team acme\n  \
            steward audit list --project shop --action project.updated --from 2026-01-01T00:00:00Z --json")]
        List(Remote<ListEvents>) => list,
        /// Print all events as one JSON object per line, newest first
        #[command(after_help = "Examples:\n  steward audit export --team acme > audit.ndjson\n  \
            steward audit export --team acme --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z > january.ndjson")]
        Export(Remote<SelectedEvents>) => export,
        /// Print events as one JSON object per line, oldest first, and follow new ones
        #[command(after_help = "Examples:\n  steward audit events --team acme --follow\n  \
            steward audit events --team acme --after 4210 --fields position,action\n\nTo receive each event once, pass the \
            `position` of the last event with --after.")]
        Events(Remote<FeedOfEvents>) => events,
    }
}

#[derive(Debug, Args)]
pub struct SelectedEvents {
    #[command(flatten)]
    parent: Parent,
    /// Only events caused by the account, API key, personal access token or client with this ID
    #[arg(long, value_name = "ID")]
    actor: Option<String>,
    /// Only events with this action, such as team.updated
    #[arg(long)]
    action: Option<String>,
    /// Only events about the resource with this ID
    #[arg(long, value_name = "ID")]
    target: Option<String>,
    /// Only events at or after this time, such as 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME")]
    from: Option<DateTime<Utc>>,
    /// Only events before this time
    #[arg(long, value_name = "TIME")]
    to: Option<DateTime<Utc>>,
    /// Leave out the changes of items, or select only them [default: all events]
    #[arg(long, value_name = "CHANGES", value_parser = ["include", "exclude", "only"])]
    item_changes: Option<String>,
}

#[derive(Debug, Args)]
pub struct ListEvents {
    #[command(flatten)]
    selected: SelectedEvents,
    #[command(flatten)]
    list: PageOptions,
}

#[derive(Debug, Args)]
pub struct FeedOfEvents {
    #[command(flatten)]
    parent: Parent,
    /// Start after this position [default: the start of the log, or its end with --follow]
    #[arg(long, value_name = "POSITION")]
    after: Option<i64>,
    /// Wait for new events
    #[arg(long)]
    follow: bool,
}

pub fn audit_log_of(context: &Context, parent: &ParentId) -> AuditLog {
    match parent {
        ParentId::Team(id) => context.client.team_audit_log(id),
        ParentId::Project(id) => context.client.project_audit_log(id),
    }
}

impl SelectedEvents {
    fn filter(self) -> AuditParameters {
        let text = |time: Option<DateTime<Utc>>| time.map(|time| Timestamp::from(time).to_string());
        let Self { actor, action, target, from, to, item_changes, .. } = self;
        AuditParameters { actor, action, target, from: text(from), to: text(to), item_changes }
    }
}

async fn list(context: &Context, arguments: ListEvents) -> anyhow::Result<()> {
    let parent = arguments.selected.parent.id(context).await?;
    let list = audit_log_of(context, &parent).list(&arguments.selected.filter());
    let mut actors = None;
    let named = async |events: Vec<Value>| {
        if actors.is_none() && !events.is_empty() {
            actors = Some(Actors::of(context, &parent).await);
        }
        match &actors {
            Some(actors) => actors.name(events),
            None => events,
        }
    };
    arguments.list.print(context, list, ListColumns::Named(COLUMNS), named).await
}

/// Prints events while they are read, so that a long log needs little memory.
async fn export(context: &Context, selected: SelectedEvents) -> anyhow::Result<()> {
    let log = audit_log_of(context, &selected.parent.id(context).await?);
    let mut pages = Pages::of(log.list(&selected.filter()), None);
    while let Some(page) = pages.next().await? {
        page.iter().try_for_each(|event| context.output.line(event))?;
    }
    Ok(())
}

async fn events(context: &Context, arguments: FeedOfEvents) -> anyhow::Result<()> {
    let log = audit_log_of(context, &arguments.parent.id(context).await?);
    let mut after = match (arguments.after, arguments.follow) {
        (None, true) => newest(&log).await?,
        (after, _) => after,
    };
    loop {
        let read = async || log.events(after, Some(PAGE_SIZE)).json().await;
        let events = if arguments.follow { until_reachable(read).await? } else { read().await? };
        for event in &events.data {
            context.output.line(event)?;
        }
        after = Some(events.next);
        if events.data.is_empty() {
            if !arguments.follow {
                return Ok(());
            }
            sleep(FOLLOW_INTERVAL).await;
        }
    }
}

/// Returns the position of the newest event.
pub async fn newest(log: &AuditLog) -> anyhow::Result<Option<i64>> {
    let newest = log.list(&AuditParameters::default()).page_size(1).page().await?;
    Ok(newest.data.first().map(|event| event.position))
}
