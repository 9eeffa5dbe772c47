//! `steward webhook`.

use clap::{Args, Subcommand};
use serde_json::json;
use steward_client::{NewWebhook, WebhookChanges, Webhooks};

use crate::terminal;

use super::parent::{Parent, ParentId};
use super::{Context, ListColumns, ListOptions, Remote};

const COLUMNS: &[&str] = &["id", "url", "events", "ordering", "status", "created_at"];
const DELIVERY_COLUMNS: &[&str] = &["id", "event", "attempt", "at", "status", "took_ms", "error"];
const ORDERINGS: [&str; 2] = ["project", "none"];
const STORE_SECRET: &str = "Store the secret now. It is not shown again.";

#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// List the webhooks of a team or project, newest first
    #[command(
        after_help = "Examples:\n  steward webhook list --team acme\n  steward webhook list --project shop --json"
    )]
    List(Remote<ListWebhooks>),
    /// Get a webhook
    Get(Remote<NamedWebhook>),
    /// Create a webhook and print its secret, which is not shown again
    #[command(after_help = "Examples:\n  \
        steward webhook create --team acme --url https://example.com/hooks\n  \
        steward webhook create --project shop --url https://example.com/hooks --events item.created,item.updated")]
    Create(Remote<CreateWebhook>),
    /// Change the URL, the events or the ordering of a webhook, pause it or resume it
    #[command(after_help = "Examples:\n  \
        steward webhook update 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --events team.updated\n  \
        steward webhook update 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --ordering none\n  \
        steward webhook update 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --pause\n  \
        steward webhook update 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --resume")]
    Update(Remote<UpdateWebhook>),
    /// Delete a webhook
    Delete(Remote<NamedWebhook>),
    /// List the attempts to deliver events to a webhook, newest first
    #[command(after_help = "Examples:\n  \
        steward webhook deliveries 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --limit 20")]
    Deliveries(Remote<ListDeliveries>),
    /// Send the event of an earlier delivery again, now
    #[command(after_help = "Examples:\n  steward webhook redeliver 018f2a43-1f5c-7b8d-92e4-6d7a0c3f5b18 \
        --webhook 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme")]
    Redeliver(Remote<Redeliver>),
    /// Send a test event to a webhook, now, also while it is paused
    #[command(after_help = "Examples:\n  steward webhook test 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme")]
    Test(Remote<NamedWebhook>),
    /// Rotate the secret of a webhook; for 24 hours, messages are signed with both secrets
    RotateSecret(Remote<NamedWebhook>),
}

#[derive(Debug, Args)]
pub struct ListWebhooks {
    #[command(flatten)]
    parent: Parent,
    #[command(flatten)]
    list: ListOptions,
}

#[derive(Debug, Args)]
pub struct NamedWebhook {
    /// ID of the webhook
    webhook_id: String,
    #[command(flatten)]
    parent: Parent,
}

#[derive(Debug, Args)]
pub struct CreateWebhook {
    #[command(flatten)]
    parent: Parent,
    /// Public https URL to send events to
    #[arg(long)]
    url: String,
    /// Comma-separated names of the events to send, such as team.updated; * for all events
    #[arg(long, value_delimiter = ',', default_value = "*")]
    events: Vec<String>,
    /// Send the events of each project in order (project), or all events in any order (none)
    #[arg(long, value_parser = ORDERINGS, default_value = "project")]
    ordering: String,
}

#[derive(Debug, Args)]
pub struct UpdateWebhook {
    #[command(flatten)]
    named: NamedWebhook,
    /// New URL to send events to
    #[arg(long, required_unless_present_any = ["events", "ordering", "pause", "resume"])]
    url: Option<String>,
    /// Comma-separated names of the events to send; * for all events
    #[arg(long, value_delimiter = ',')]
    events: Option<Vec<String>>,
    /// Send the events of each project in order (project), or all events in any order (none)
    #[arg(long, value_parser = ORDERINGS)]
    ordering: Option<String>,
    /// Pause the webhook: no further events are sent, but they are kept
    #[arg(long, conflicts_with = "resume")]
    pause: bool,
    /// Resume a paused webhook, with the first event that was not delivered
    #[arg(long)]
    resume: bool,
}

impl UpdateWebhook {
    /// The status to set, if any.
    fn status(&self) -> Option<&'static str> {
        if self.pause { Some("paused") } else { self.resume.then_some("active") }
    }
}

#[derive(Debug, Args)]
pub struct ListDeliveries {
    #[command(flatten)]
    named: NamedWebhook,
    #[command(flatten)]
    list: ListOptions,
}

#[derive(Debug, Args)]
pub struct Redeliver {
    /// ID of the delivery
    delivery_id: String,
    /// ID of the webhook
    #[arg(long)]
    webhook: String,
    #[command(flatten)]
    parent: Parent,
}

pub async fn run(command: WebhookCommand) -> anyhow::Result<()> {
    match command {
        WebhookCommand::List(command) => list(&command.context()?, &command.arguments).await,
        WebhookCommand::Get(command) => get(&command.context()?, &command.arguments).await,
        WebhookCommand::Create(command) => create(&command.context()?, command.arguments).await,
        WebhookCommand::Update(command) => update(&command.context()?, command.arguments).await,
        WebhookCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
        WebhookCommand::Deliveries(command) => deliveries(&command.context()?, &command.arguments).await,
        WebhookCommand::Redeliver(command) => redeliver(&command.context()?, &command.arguments).await,
        WebhookCommand::Test(command) => test(&command.context()?, &command.arguments).await,
        WebhookCommand::RotateSecret(command) => rotate_secret(&command.context()?, &command.arguments).await,
    }
}

async fn webhooks(context: &Context, parent: &Parent) -> anyhow::Result<Webhooks> {
    Ok(match parent.id(context).await? {
        ParentId::Team(id) => context.client.team_webhooks(&id),
        ParentId::Project(id) => context.client.project_webhooks(&id),
    })
}

async fn list(context: &Context, arguments: &ListWebhooks) -> anyhow::Result<()> {
    let webhooks = webhooks(context, &arguments.parent).await?;
    arguments.list.print(context, webhooks.list(), ListColumns::Named(COLUMNS)).await
}

async fn get(context: &Context, named: &NamedWebhook) -> anyhow::Result<()> {
    let webhooks = webhooks(context, &named.parent).await?;
    context.output.entry(&webhooks.get(&named.webhook_id).data().await?)
}

async fn create(context: &Context, arguments: CreateWebhook) -> anyhow::Result<()> {
    let webhooks = webhooks(context, &arguments.parent).await?;
    let webhook = NewWebhook { url: arguments.url, events: arguments.events, ordering: Some(arguments.ordering) };
    let created = webhooks.create(&webhook).data().await?;
    terminal::note(STORE_SECRET);
    context.output.entry(&created)
}

async fn update(context: &Context, arguments: UpdateWebhook) -> anyhow::Result<()> {
    let webhooks = webhooks(context, &arguments.named.parent).await?;
    let status = arguments.status().map(str::to_owned);
    let UpdateWebhook { named, url, events, ordering, .. } = arguments;
    let changes = WebhookChanges { url, events, ordering, status };
    context.output.entry(&webhooks.update(&named.webhook_id, &changes).data().await?)
}

async fn delete(context: &Context, named: &NamedWebhook) -> anyhow::Result<()> {
    let webhooks = webhooks(context, &named.parent).await?;
    context.confirm(&format!("Delete the webhook {}?", named.webhook_id))?;
    webhooks.delete(&named.webhook_id).done().await?;
    let entry = json!({"id": named.webhook_id, "deleted": true});
    context.output.done(&format!("The webhook {} is deleted.", named.webhook_id), &entry)
}

async fn deliveries(context: &Context, arguments: &ListDeliveries) -> anyhow::Result<()> {
    let webhooks = webhooks(context, &arguments.named.parent).await?;
    let deliveries = webhooks.deliveries(&arguments.named.webhook_id);
    arguments.list.print(context, deliveries, ListColumns::Named(DELIVERY_COLUMNS)).await
}

async fn redeliver(context: &Context, arguments: &Redeliver) -> anyhow::Result<()> {
    let webhooks = webhooks(context, &arguments.parent).await?;
    context.output.entry(&webhooks.redeliver(&arguments.webhook, &arguments.delivery_id).data().await?)
}

async fn test(context: &Context, named: &NamedWebhook) -> anyhow::Result<()> {
    let webhooks = webhooks(context, &named.parent).await?;
    context.output.entry(&webhooks.test(&named.webhook_id).data().await?)
}

async fn rotate_secret(context: &Context, named: &NamedWebhook) -> anyhow::Result<()> {
    let webhooks = webhooks(context, &named.parent).await?;
    context.confirm(&format!("Rotate the secret of the webhook {}?", named.webhook_id))?;
    let rotated = webhooks.rotate_secret(&named.webhook_id).data().await?;
    terminal::note(STORE_SECRET);
    context.output.entry(&rotated)
}
