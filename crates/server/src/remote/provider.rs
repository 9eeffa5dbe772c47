//! `steward provider`.

use clap::{Args, Subcommand};
use serde_json::json;
use steward_client::{IdentityProviderChanges, NewIdentityProvider, Secret};
use steward_domain::model::ProviderKind;

use crate::terminal::{self, prompt};

use super::{Context, ProjectOption, Remote};

const COLUMNS: &[&str] = &["id", "kind", "name", "issuer", "is_enabled", "created_at"];

#[derive(Debug, Subcommand)]
pub enum ProviderCommand {
    /// List the identity providers of a project, oldest first
    #[command(after_help = "Examples:\n  steward provider list --project shop")]
    List(Remote<ListProviders>),
    /// Get an identity provider
    Get(Remote<NamedProvider>),
    /// Add an identity provider, at which people can sign in to the project
    #[command(after_help = "Examples:\n  \
        steward provider create --project shop --kind github --client-id Iv1.8a61f9b3a7aba766 --secret < secret.txt\n  \
        steward provider create --project shop --issuer https://accounts.example.com --client-id shop --name 'Example ID'\n\n\
        Register the printed redirect_uri at the provider.")]
    Create(Remote<CreateProvider>),
    /// Change the name or the client of an identity provider, disable it or enable it
    #[command(after_help = "Examples:\n  \
        steward provider update 018f2a44-5d20-7c61-8e9f-3b7d1a6c4f05 --project shop --disable\n  \
        steward provider update 018f2a44-5d20-7c61-8e9f-3b7d1a6c4f05 --project shop --secret < secret.txt")]
    Update(Remote<UpdateProvider>),
    /// Delete an identity provider
    Delete(Remote<NamedProvider>),
}

#[derive(Debug, Args)]
pub struct ListProviders {
    #[command(flatten)]
    project: ProjectOption,
}

#[derive(Debug, Args)]
pub struct NamedProvider {
    /// ID of the provider
    provider_id: String,
    #[command(flatten)]
    project: ProjectOption,
}

#[derive(Debug, Args)]
pub struct CreateProvider {
    #[command(flatten)]
    project: ProjectOption,
    /// What the provider is
    #[arg(long, value_parser = ProviderKind::ALL.map(ProviderKind::as_str), default_value = "openid_connect")]
    kind: String,
    /// Name on the button [default: that of the kind]
    #[arg(long)]
    name: Option<String>,
    /// URL that identifies the provider [default: that of the public service, for google, apple, github and gitlab]
    #[arg(long)]
    issuer: Option<String>,
    /// ID that the provider has assigned to this service
    #[arg(long)]
    client_id: String,
    /// Read the secret that the provider has assigned from standard input
    #[arg(long)]
    secret: bool,
}

#[derive(Debug, Args)]
pub struct UpdateProvider {
    #[command(flatten)]
    named: NamedProvider,
    /// New name on the button
    #[arg(long, required_unless_present_any = ["client_id", "secret", "disable", "enable"])]
    name: Option<String>,
    /// New ID that the provider has assigned to this service
    #[arg(long)]
    client_id: Option<String>,
    /// Read a new secret from standard input
    #[arg(long)]
    secret: bool,
    /// Disable the provider: nobody can sign in there
    #[arg(long, conflicts_with = "enable")]
    disable: bool,
    /// Enable a disabled provider
    #[arg(long)]
    enable: bool,
}

pub async fn run(command: ProviderCommand) -> anyhow::Result<()> {
    match command {
        ProviderCommand::List(command) => list(&command.context()?, &command.arguments).await,
        ProviderCommand::Get(command) => get(&command.context()?, &command.arguments).await,
        ProviderCommand::Create(command) => create(&command.context()?, command.arguments).await,
        ProviderCommand::Update(command) => update(&command.context()?, command.arguments).await,
        ProviderCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
    }
}

async fn list(context: &Context, arguments: &ListProviders) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    context.output.list(&context.client.identity_providers(&project).list().data().await?, COLUMNS)
}

async fn get(context: &Context, named: &NamedProvider) -> anyhow::Result<()> {
    let project = context.project_id(named.project.project.as_deref()).await?;
    context.output.entry(&context.client.identity_providers(&project).get(&named.provider_id).data().await?)
}

async fn create(context: &Context, arguments: CreateProvider) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let CreateProvider { kind, name, issuer, client_id, secret, .. } = arguments;
    let client_secret = secret.then(client_secret).transpose()?;
    let provider = NewIdentityProvider { kind, name, issuer, client_id, client_secret };
    let created = context.client.identity_providers(&project).create(&provider).data().await?;
    terminal::note("Register the redirect_uri at the provider.");
    context.output.entry(&created)
}

async fn update(context: &Context, arguments: UpdateProvider) -> anyhow::Result<()> {
    let UpdateProvider { named, name, client_id, secret, disable, enable } = arguments;
    let project = context.project_id(named.project.project.as_deref()).await?;
    let client_secret = secret.then(client_secret).transpose()?;
    let is_enabled = if disable { Some(false) } else { enable.then_some(true) };
    let changes = IdentityProviderChanges { name, client_id, client_secret, is_enabled };
    context
        .output
        .entry(&context.client.identity_providers(&project).update(&named.provider_id, &changes).data().await?)
}

async fn delete(context: &Context, named: &NamedProvider) -> anyhow::Result<()> {
    let project = context.project_id(named.project.project.as_deref()).await?;
    context.confirm(&format!(
        "Delete the provider {}? People can no longer sign in there, and the identities linked to it are deleted.",
        named.provider_id
    ))?;
    context.client.identity_providers(&project).delete(&named.provider_id).done().await?;
    let entry = json!({"id": named.provider_id, "deleted": true});
    context.output.done(&format!("The provider {} is deleted.", named.provider_id), &entry)
}

fn client_secret() -> anyhow::Result<Secret> {
    Ok(prompt::secret("the secret")?.as_str().into())
}
