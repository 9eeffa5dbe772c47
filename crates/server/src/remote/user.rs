//! The subcommands of `steward user` that use the API.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use steward_client::{ConnectedUser, UserChanges};

use super::{Context, ListColumns, PageOptions, ProjectOption, Remote, json_input, people};

const COLUMNS: &[&str] = &["id", "profile.username", "email", "profile.name", "status", "last_seen_at", "created_at"];
const SESSION_COLUMNS: &[&str] = &["id", "scopes", "signed_in_at", "created_at"];

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// List the users of a project, newest first
    #[command(after_help = "Examples:\n  steward user list --project notes --status blocked\n  \
        steward user list --search ann --limit 10 --json")]
    List(Remote<ListUsers>),
    /// Get a user
    Get(Remote<NamedUser>),
    /// Change what the project stores about a user, or the user's status
    #[command(after_help = "Examples:\n  \
        steward user update ann --project notes --meta '{\"plan\": \"pro\", \"trial\": null}'")]
    Update(Remote<UpdateUser>),
    /// Block a user, who can no longer use the project
    Block(Remote<NamedUser>),
    /// Unblock a user
    Unblock(Remote<NamedUser>),
    /// Delete a user with all data that the project stores about them
    #[command(after_help = "Examples:\n  steward user delete ann --project notes --yes")]
    Delete(Remote<NamedUser>),
    /// List where a user is signed in to the project, newest first
    #[command(after_help = "Examples:\n  steward user sessions ann --project notes")]
    Sessions(Remote<NamedUser>),
    /// Sign a user out of the project
    #[command(after_help = "The user can sign in again. Block the user to prevent that.\n\nExamples:\n  \
        steward user sign-out ann --project notes --yes")]
    SignOut(Remote<NamedUser>),
    /// Print all data that the project stores about a user, as JSON
    #[command(after_help = "Examples:\n  steward user export ann --project notes > ann.json")]
    Export(Remote<NamedUser>),
    /// Get the number of users, and how many were active today and in the last 7 and 30 days
    #[command(after_help = "Examples:\n  steward user stats --project notes --series --days 7")]
    Stats(Remote<Stats>),
    /// Connect your own account to a project as a user
    Join(Remote<ProjectOption>),
}

#[derive(Debug, Args)]
pub struct ListUsers {
    #[command(flatten)]
    project: ProjectOption,
    /// List only users with this status
    #[arg(long, value_parser = ["connected", "disconnected", "blocked"])]
    status: Option<String>,
    /// List only users whose name, username or DID contains this text, or who granted this email address
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    #[command(flatten)]
    list: PageOptions,
}

#[derive(Debug, Args)]
pub struct NamedUser {
    /// ID, DID, username or email address of the user
    user: String,
    #[command(flatten)]
    project: ProjectOption,
}

#[derive(Debug, Args)]
pub struct UpdateUser {
    #[command(flatten)]
    named: NamedUser,
    /// JSON object that is merged into the stored data; null removes a member
    #[arg(long, value_name = "JSON", value_parser = object, required_unless_present = "status")]
    meta: Option<Map<String, Value>>,
    /// New status
    #[arg(long, value_parser = ["connected", "blocked"])]
    status: Option<String>,
}

#[derive(Debug, Args)]
pub struct Stats {
    #[command(flatten)]
    project: ProjectOption,
    /// Print the number of active users of each day instead
    #[arg(long)]
    series: bool,
    /// Number of days, up to today
    #[arg(long, value_name = "NUMBER", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=365))]
    days: u16,
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    json_input::parse(text.as_bytes()).map_err(|error| format!("must be a JSON object: {error}"))
}

pub async fn run(command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::List(command) => list(&command.context()?, &command.arguments).await,
        UserCommand::Get(command) => get(&command.context()?, &command.arguments).await,
        UserCommand::Update(command) => {
            let context = command.context()?;
            let UpdateUser { named, meta, status } = command.arguments;
            update(&context, &named, &UserChanges { meta, status }).await
        }
        UserCommand::Block(command) => set_status(&command.context()?, &command.arguments, "blocked").await,
        UserCommand::Unblock(command) => set_status(&command.context()?, &command.arguments, "connected").await,
        UserCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
        UserCommand::Sessions(command) => sessions(&command.context()?, &command.arguments).await,
        UserCommand::SignOut(command) => sign_out(&command.context()?, &command.arguments).await,
        UserCommand::Export(command) => export(&command.context()?, &command.arguments).await,
        UserCommand::Stats(command) => stats(&command.context()?, &command.arguments).await,
        UserCommand::Join(command) => join(&command.context()?, &command.arguments).await,
    }
}

async fn list(context: &Context, arguments: &ListUsers) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let list = context.client.users(&project).list();
    let list = list.optional_query("status", arguments.status.as_ref()).optional_query("q", arguments.search.as_ref());
    arguments.list.print(context, list, ListColumns::Named(COLUMNS)).await
}

async fn get(context: &Context, named: &NamedUser) -> anyhow::Result<()> {
    let (project, user) = ids(context, named).await?;
    context.output.entry(&context.client.users(&project).get(&user).data().await?)
}

async fn update(context: &Context, named: &NamedUser, changes: &UserChanges) -> anyhow::Result<()> {
    let (project, user) = ids(context, named).await?;
    context.output.entry(&context.client.users(&project).update(&user, changes).data().await?)
}

async fn set_status(context: &Context, named: &NamedUser, status: &str) -> anyhow::Result<()> {
    update(context, named, &UserChanges { status: Some(status.to_owned()), ..UserChanges::default() }).await
}

async fn delete(context: &Context, named: &NamedUser) -> anyhow::Result<()> {
    let (project, user) = ids(context, named).await?;
    context.confirm(&format!("Delete the user {} and all their data in the project?", named.user))?;
    context.client.users(&project).delete(&user).done().await?;
    context.output.done(&format!("The user {} is deleted.", named.user), &json!({"id": user, "deleted": true}))
}

async fn sessions(context: &Context, named: &NamedUser) -> anyhow::Result<()> {
    let (project, user) = ids(context, named).await?;
    context.output.list(&context.client.users(&project).sessions(&user).data().await?, SESSION_COLUMNS)
}

async fn sign_out(context: &Context, named: &NamedUser) -> anyhow::Result<()> {
    let (project, user) = ids(context, named).await?;
    context.confirm(&format!("Sign the user {} out of the project?", named.user))?;
    context.client.users(&project).sign_out(&user).done().await?;
    context.output.done(&format!("The user {} is signed out.", named.user), &json!({"id": user, "signed_out": true}))
}

async fn export(context: &Context, named: &NamedUser) -> anyhow::Result<()> {
    let (project, user) = ids(context, named).await?;
    context.output.value(context.client.users(&project).export(&user).send().await?.json()?)
}

async fn stats(context: &Context, arguments: &Stats) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let stats = context.client.users(&project).stats(arguments.days).json().await?;
    if arguments.series {
        return context.output.list(&stats.series, &["date", "active_users"]);
    }
    context.output.entry(&json!({"total": stats.total, "dau": stats.dau, "wau": stats.wau, "mau": stats.mau}))
}

async fn join(context: &Context, project: &ProjectOption) -> anyhow::Result<()> {
    let project = context.project_id(project.project.as_deref()).await?;
    // Refreshes the token if it has expired.
    context.client.account().credential().done().await?;
    let ConnectedUser { user_did, pds_url, .. } =
        context.client.users(&project).connect(&context.token()?).json().await?;
    context.output.entry(&json!({"user_did": user_did, "pds_url": pds_url}))
}

async fn ids(context: &Context, named: &NamedUser) -> anyhow::Result<(String, String)> {
    let project = context.project_id(named.project.project.as_deref()).await?;
    let user = people::user_id(context, &project, &named.user).await?;
    Ok((project, user))
}
