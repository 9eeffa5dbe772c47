//! `steward project`.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use steward_client::{NewProject, ProjectChanges};

use crate::terminal::UsageError;

use super::{Context, ListColumns, ListOptions, Remote, json_input, project_images, project_settings};

const COLUMNS: &[&str] = &["id", "slug", "name", "team_slug", "created_at"];

#[derive(Debug, Subcommand)]
pub enum ProjectCommand {
    /// List the projects of your teams, newest first
    #[command(after_help = "Examples:\n  steward project list\n  steward project list --json --fields id,slug")]
    List(Remote<ListOptions>),
    /// Get a project with the usage of its quotas
    #[command(after_help = "Examples:\n  steward project get rocket\n  steward project get --json --fields usage")]
    Get(Remote<DefaultProject>),
    /// Show how many requests a project received
    #[command(after_help = "Examples:\n  steward project requests rocket --series --days 7")]
    Requests(Remote<ProjectRequests>),
    /// Create a project in a team
    #[command(after_help = "Examples:\n  steward project create --team acme --name Rocket --slug rocket")]
    Create(Remote<CreateProject>),
    /// Update a project
    #[command(after_help = "Examples:\n  steward project update rocket --website https://rocket.example.com\n  \
        steward project update --public-profile '{\"color\": \"red\"}'")]
    Update(Remote<UpdateProject>),
    /// Delete a project and all its data
    #[command(after_help = "Examples:\n  steward project delete rocket --yes")]
    Delete(Remote<NamedProject>),
    /// Check whether a slug is available
    #[command(after_help = "Examples:\n  steward project check-slug rocket")]
    CheckSlug(Remote<CheckSlug>),
    /// Get what everyone may read of a project
    Public(Remote<DefaultProject>),
    /// Manage the settings of a project
    #[command(subcommand)]
    Settings(project_settings::SettingsCommand),
    /// Manage the icon and the background of a project
    #[command(subcommand)]
    Image(project_images::ImageCommand),
}

#[derive(Debug, Args)]
pub struct NamedProject {
    /// ID or slug of the project
    project: String,
}

#[derive(Debug, Args)]
pub struct DefaultProject {
    /// ID or slug of the project [default: the project in steward.json]
    project: Option<String>,
}

#[derive(Debug, Args)]
pub struct ProjectRequests {
    #[command(flatten)]
    named: DefaultProject,
    /// Print the number of requests of each day instead
    #[arg(long)]
    series: bool,
    /// Number of days, up to today
    #[arg(long, value_name = "NUMBER", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=365))]
    days: u16,
}

#[derive(Debug, Args)]
pub struct CreateProject {
    /// ID or slug of the team that owns the project
    #[arg(long)]
    team: String,
    /// Display name
    #[arg(long)]
    name: String,
    /// URL-friendly name, unique in the service [default: generated from the name]
    #[arg(long)]
    slug: Option<String>,
}

#[derive(Debug, Args)]
pub struct UpdateProject {
    #[command(flatten)]
    named: DefaultProject,
    /// New display name
    #[arg(long, required_unless_present_any = ["slug", "website", "remove_website", "public_profile"])]
    name: Option<String>,
    /// New URL-friendly name
    #[arg(long)]
    slug: Option<String>,
    /// New website
    #[arg(long, value_name = "URL", conflicts_with = "remove_website")]
    website: Option<String>,
    /// Remove the website
    #[arg(long)]
    remove_website: bool,
    /// JSON object to merge into the public profile; null removes a member
    #[arg(long, value_name = "JSON")]
    public_profile: Option<String>,
}

#[derive(Debug, Args)]
pub struct CheckSlug {
    /// Slug to check
    slug: String,
}

pub async fn run(command: ProjectCommand) -> anyhow::Result<()> {
    match command {
        ProjectCommand::List(command) => list(&command.context()?, &command.arguments).await,
        ProjectCommand::Get(command) => get(&command.context()?, &command.arguments).await,
        ProjectCommand::Requests(command) => requests(&command.context()?, &command.arguments).await,
        ProjectCommand::Create(command) => create(&command.context()?, command.arguments).await,
        ProjectCommand::Update(command) => update(&command.context()?, command.arguments).await,
        ProjectCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
        ProjectCommand::CheckSlug(command) => check_slug(&command.context()?, &command.arguments).await,
        ProjectCommand::Public(command) => public(&command.context()?, &command.arguments).await,
        ProjectCommand::Settings(command) => project_settings::run(command).await,
        ProjectCommand::Image(command) => project_images::run(command).await,
    }
}

async fn list(context: &Context, options: &ListOptions) -> anyhow::Result<()> {
    options.print(context, context.client.projects().list(), ListColumns::Named(COLUMNS)).await
}

async fn get(context: &Context, named: &DefaultProject) -> anyhow::Result<()> {
    let id = context.project_id(named.project.as_deref()).await?;
    context.output.entry(&context.client.projects().get(&id).data().await?)
}

async fn requests(context: &Context, arguments: &ProjectRequests) -> anyhow::Result<()> {
    let id = context.project_id(arguments.named.project.as_deref()).await?;
    let stats = context.client.projects().request_stats(&id, arguments.days).json().await?;
    if arguments.series {
        return context.output.list(&stats.series, &["date", "requests"]);
    }
    context.output.entry(&json!({"days": arguments.days, "total": stats.total, "today": stats.today}))
}

async fn create(context: &Context, arguments: CreateProject) -> anyhow::Result<()> {
    let team_id = context.team_id(&arguments.team).await?;
    let CreateProject { name, slug, .. } = arguments;
    context.output.entry(&context.client.projects().create(&NewProject { name, team_id, slug }).data().await?)
}

async fn update(context: &Context, arguments: UpdateProject) -> anyhow::Result<()> {
    let id = context.project_id(arguments.named.project.as_deref()).await?;
    let invalid = |error: serde_json::Error| UsageError(format!("--public-profile is not a JSON object: {error}"));
    let profile = arguments.public_profile.as_ref().map(|profile| json_input::parse(profile.as_bytes()));
    let profile: Option<Map<String, Value>> = profile.transpose().map_err(invalid)?;
    let website = if arguments.remove_website { Some(None) } else { arguments.website.map(Some) };
    let changes = ProjectChanges { name: arguments.name, slug: arguments.slug, website, profile };
    context.output.entry(&context.client.projects().update(&id, changes).data().await?)
}

async fn delete(context: &Context, named: &NamedProject) -> anyhow::Result<()> {
    let id = context.project_id(Some(&named.project)).await?;
    context.confirm(&format!("Delete the project {} and all its data?", named.project))?;
    context.client.projects().delete(&id).done().await?;
    context.output.done(&format!("The project {} is deleted.", named.project), &json!({"id": id, "deleted": true}))
}

async fn check_slug(context: &Context, arguments: &CheckSlug) -> anyhow::Result<()> {
    let available = context.client.projects().check_slug(&arguments.slug).json().await?.available;
    context.output.entry(&json!({"slug": arguments.slug, "available": available}))
}

async fn public(context: &Context, named: &DefaultProject) -> anyhow::Result<()> {
    let id = context.project_id(named.project.as_deref()).await?;
    context.output.entry(&context.client.projects().profile(&id).data().await?)
}
