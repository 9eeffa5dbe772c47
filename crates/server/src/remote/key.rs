//! `steward key`.

use anyhow::bail;
use clap::{Args, Subcommand};
use serde_json::json;
use steward_client::{KeyChanges, NewKey, Timestamp};

use crate::terminal::{self, prompt};

use super::{Context, ListColumns, ListOptions, ProjectOption, Remote};

const COLUMNS: &[&str] = &["id", "label", "roles", "is_private", "hint", "last_used", "expires_at"];

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// List the API keys of a project, newest first
    #[command(after_help = "Examples:\n  steward key list --project rocket")]
    List(Remote<ListKeys>),
    /// Get an API key without its value
    Get(Remote<NamedKey>),
    /// Create an API key and print its value, which is shown only once
    #[command(after_help = "Examples:\n  steward key create --project rocket --label Server --roles write\n  \
        steward key create --label Browser --roles project:read --public --expires-at 2027-01-31T12:00:00Z")]
    Create(Remote<CreateKey>),
    /// Change the label or the roles of an API key
    Update(Remote<UpdateKey>),
    /// Delete an API key, which stops working immediately
    #[command(after_help = "Examples:\n  steward key delete 018f2a3c-91b7-7e02-8d54-6a0f3be27c19 --yes")]
    Delete(Remote<NamedKey>),
    /// Replace the value of an API key and print the new one, which is shown only once
    #[command(after_help = "Examples:\n  \
        steward key rotate 018f2a3c-91b7-7e02-8d54-6a0f3be27c19 --grace-seconds 3600")]
    Rotate(Remote<RotateKey>),
    /// Verify the value of an API key on standard input
    #[command(after_help = "Examples:\n  steward key verify --project rocket < key.txt\n\n\
        Exit code 1 if the value is not valid. The value is not an argument, because others can read the arguments of \
        programs.")]
    Verify(Remote<VerifyKey>),
}

#[derive(Debug, Args)]
pub struct ListKeys {
    #[command(flatten)]
    project: ProjectOption,
    #[command(flatten)]
    list: ListOptions,
}

#[derive(Debug, Args)]
pub struct NamedKey {
    /// ID of the key
    key_id: String,
    #[command(flatten)]
    project: ProjectOption,
}

#[derive(Debug, Args)]
pub struct CreateKey {
    #[command(flatten)]
    project: ProjectOption,
    /// Display name
    #[arg(long)]
    label: String,
    /// Comma-separated roles (admin, write, read) or permissions such as db:read
    #[arg(long)]
    roles: String,
    /// Create a public key, which may appear in browsers; its roles may be project:read and schema:read only
    #[arg(long)]
    public: bool,
    /// When the key expires, such as 2027-01-31T12:00:00Z [default: never]
    #[arg(long)]
    expires_at: Option<chrono::DateTime<chrono::Utc>>,
}

#[derive(Debug, Args)]
pub struct UpdateKey {
    #[command(flatten)]
    named: NamedKey,
    /// New display name
    #[arg(long, required_unless_present = "roles")]
    label: Option<String>,
    /// New comma-separated roles (admin, write, read) or permissions such as db:read
    #[arg(long)]
    roles: Option<String>,
}

#[derive(Debug, Args)]
pub struct RotateKey {
    #[command(flatten)]
    named: NamedKey,
    /// Number of seconds for which the old value continues to work: at most 86400
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=86_400))]
    grace_seconds: u32,
}

#[derive(Debug, Args)]
pub struct VerifyKey {
    #[command(flatten)]
    project: ProjectOption,
    /// ID of the key that the value must belong to [default: any key of the project]
    #[arg(long)]
    key_id: Option<String>,
}

pub async fn run(command: KeyCommand) -> anyhow::Result<()> {
    match command {
        KeyCommand::List(command) => list(&command.context()?, &command.arguments).await,
        KeyCommand::Get(command) => get(&command.context()?, &command.arguments).await,
        KeyCommand::Create(command) => create(&command.context()?, command.arguments).await,
        KeyCommand::Update(command) => update(&command.context()?, command.arguments).await,
        KeyCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
        KeyCommand::Rotate(command) => rotate(&command.context()?, &command.arguments).await,
        KeyCommand::Verify(command) => verify(&command.context()?, &command.arguments).await,
    }
}

async fn list(context: &Context, arguments: &ListKeys) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    arguments.list.print(context, context.client.keys(&project).list(), ListColumns::Named(COLUMNS)).await
}

async fn get(context: &Context, named: &NamedKey) -> anyhow::Result<()> {
    let project = context.project_id(named.project.project.as_deref()).await?;
    context.output.entry(&context.client.keys(&project).get(&named.key_id).json().await?.key)
}

async fn create(context: &Context, arguments: CreateKey) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let CreateKey { label, roles, public, expires_at, .. } = arguments;
    let expires_at = expires_at.map(|time| Timestamp::from(time).to_string());
    let key = NewKey { label, roles, is_private: Some(!public), expires_at };
    let key = context.client.keys(&project).create(&key).json().await?.key;
    terminal::note("Store the value now. It is not shown again.");
    context.output.entry(&key)
}

async fn update(context: &Context, arguments: UpdateKey) -> anyhow::Result<()> {
    let UpdateKey { named, label, roles } = arguments;
    let project = context.project_id(named.project.project.as_deref()).await?;
    let changes = KeyChanges { label, roles, expires_at: None };
    context.output.entry(&context.client.keys(&project).update(&named.key_id, &changes).json().await?.key)
}

async fn delete(context: &Context, named: &NamedKey) -> anyhow::Result<()> {
    let project = context.project_id(named.project.project.as_deref()).await?;
    context.confirm(&format!("Delete the key {}? It stops working immediately.", named.key_id))?;
    context.client.keys(&project).delete(&named.key_id).done().await?;
    let entry = json!({"id": named.key_id, "deleted": true});
    context.output.done(&format!("The key {} is deleted.", named.key_id), &entry)
}

async fn rotate(context: &Context, arguments: &RotateKey) -> anyhow::Result<()> {
    let RotateKey { named, grace_seconds } = arguments;
    let project = context.project_id(named.project.project.as_deref()).await?;
    if *grace_seconds == 0 {
        context.confirm(&format!("Rotate the key {}? The old value stops working immediately.", named.key_id))?;
    }
    let key = context.client.keys(&project).rotate(&named.key_id, *grace_seconds).json().await?.key;
    terminal::note("Store the value now. It is not shown again.");
    context.output.entry(&key)
}

async fn verify(context: &Context, arguments: &VerifyKey) -> anyhow::Result<()> {
    let value = prompt::secret("the value of the key")?;
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let verification = context.client.keys(&project).verify(&value, arguments.key_id.as_deref()).json().await?;
    context.output.entry(&json!({"is_valid": verification.is_valid, "key": verification.key}))?;
    if !verification.is_valid {
        bail!("The value is not valid.");
    }
    Ok(())
}
