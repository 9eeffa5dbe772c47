//! `steward team`.

use clap::{Args, Subcommand};
use serde_json::json;
use steward_client::{NewTeam, TeamChanges};

use super::{Context, ListColumns, ListOptions, Remote};

const COLUMNS: &[&str] = &["id", "slug", "name", "role_name"];

#[derive(Debug, Subcommand)]
pub enum TeamCommand {
    /// List your teams, oldest first
    #[command(after_help = "Examples:\n  steward team list\n  steward team list --json --fields id,slug")]
    List(Remote<ListOptions>),
    /// Get a team
    #[command(after_help = "Examples:\n  steward team get acme\n  steward team get acme --json --fields members")]
    Get(Remote<NamedTeam>),
    /// Create a team and become its owner
    #[command(after_help = "Examples:\n  steward team create --name Acme --slug acme")]
    Create(Remote<CreateTeam>),
    /// Update a team
    #[command(after_help = "Examples:\n  steward team update acme --name \"Acme Inc.\"")]
    Update(Remote<UpdateTeam>),
    /// Delete a team, which must not own projects
    #[command(after_help = "Examples:\n  steward team delete acme --yes")]
    Delete(Remote<NamedTeam>),
    /// Check whether a slug is available
    #[command(after_help = "Examples:\n  steward team check-slug acme")]
    CheckSlug(Remote<CheckSlug>),
}

#[derive(Debug, Args)]
pub struct NamedTeam {
    /// ID or slug of the team
    team: String,
}

#[derive(Debug, Args)]
pub struct CreateTeam {
    /// Display name
    #[arg(long)]
    name: String,
    /// URL-friendly name, unique in the service
    #[arg(long)]
    slug: String,
}

#[derive(Debug, Args)]
pub struct UpdateTeam {
    #[command(flatten)]
    named: NamedTeam,
    /// New display name
    #[arg(long, required_unless_present_any = ["slug", "second_factor_from", "optional_second_factor"])]
    name: Option<String>,
    /// New URL-friendly name
    #[arg(long)]
    slug: Option<String>,
    /// The time from which members have to use a second factor: a date or an RFC 3339 timestamp
    #[arg(long, value_name = "TIME", conflicts_with = "optional_second_factor")]
    second_factor_from: Option<String>,
    /// Members need no second factor
    #[arg(long)]
    optional_second_factor: bool,
}

#[derive(Debug, Args)]
pub struct CheckSlug {
    /// Slug to check
    slug: String,
}

pub async fn run(command: TeamCommand) -> anyhow::Result<()> {
    match command {
        TeamCommand::List(command) => list(&command.context()?, &command.arguments).await,
        TeamCommand::Get(command) => get(&command.context()?, &command.arguments).await,
        TeamCommand::Create(command) => create(&command.context()?, command.arguments).await,
        TeamCommand::Update(command) => update(&command.context()?, command.arguments).await,
        TeamCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
        TeamCommand::CheckSlug(command) => check_slug(&command.context()?, &command.arguments).await,
    }
}

async fn list(context: &Context, options: &ListOptions) -> anyhow::Result<()> {
    options.print(context, context.client.teams().list(), ListColumns::Named(COLUMNS)).await
}

async fn get(context: &Context, named: &NamedTeam) -> anyhow::Result<()> {
    let id = context.team_id(&named.team).await?;
    context.output.entry(&context.client.teams().get(&id).data().await?)
}

async fn create(context: &Context, arguments: CreateTeam) -> anyhow::Result<()> {
    let CreateTeam { name, slug } = arguments;
    context.output.entry(&context.client.teams().create(&NewTeam { name, slug }).data().await?)
}

async fn update(context: &Context, arguments: UpdateTeam) -> anyhow::Result<()> {
    let id = context.team_id(&arguments.named.team).await?;
    let second_factor_from =
        if arguments.optional_second_factor { Some(None) } else { arguments.second_factor_from.map(Some) };
    let changes = TeamChanges { name: arguments.name, slug: arguments.slug, second_factor_from };
    context.output.entry(&context.client.teams().update(&id, &changes).data().await?)
}

async fn delete(context: &Context, named: &NamedTeam) -> anyhow::Result<()> {
    let id = context.team_id(&named.team).await?;
    context.confirm(&format!("Delete the team {}?", named.team))?;
    context.client.teams().delete(&id).done().await?;
    context.output.done(&format!("The team {} is deleted.", named.team), &json!({"id": id, "deleted": true}))
}

async fn check_slug(context: &Context, arguments: &CheckSlug) -> anyhow::Result<()> {
    let available = context.client.teams().check_slug(&arguments.slug).json().await?.available;
    context.output.entry(&json!({"slug": arguments.slug, "available": available}))
}
