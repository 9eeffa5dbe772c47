//! `steward client`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use steward_client::{NewOAuthClient, OAuthClientChanges};
use steward_domain::model::{ClientType, GrantType};

use crate::terminal;

use super::named_client::NamedClient;
use super::{Context, ProjectOption, Remote, client_logo, json_input};

const COLUMNS: &[&str] = &["id", "type", "name", "grant_types", "skip_consent", "created_at"];
const STORE_SECRET: &str = "Store the client secret now. It is not shown again.";

#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// List the OAuth clients of a project, oldest first
    #[command(after_help = "Examples:\n  steward client list --project shop")]
    List(Remote<ListClients>),
    /// Get an OAuth client without its secret
    Get(Remote<NamedClient>),
    /// Register an OAuth client and print the secret of a confidential one, which is shown only once
    #[command(after_help = "Examples:\n  \
        steward client create --project shop --name 'Web shop' --redirect-uri https://shop.example.com/callback\n  \
        steward client create --project shop --name Worker --type confidential --grant-type client_credentials \
        --roles read\n  \
        steward client create --project shop --name Bank --type confidential --redirect-uri https://bank.example.com/callback \
        --jwks keys.json --require-dpop --require-pushed-requests\n\n\
        The printed id is the client ID (client_id).")]
    Create(Remote<CreateClient>),
    /// Change the settings of an OAuth client
    #[command(after_help = "Examples:\n  \
        steward client update 018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 --project shop --skip-consent\n  \
        steward client update 018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 --project shop --access-token-seconds 300")]
    Update(Remote<UpdateClient>),
    /// Delete an OAuth client, whose tokens stop working immediately
    Delete(Remote<NamedClient>),
    /// Replace the secret of a confidential client and print the new one, which is shown only once
    #[command(after_help = "Examples:\n  \
        steward client rotate-secret 018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 --project shop --grace-seconds 3600")]
    RotateSecret(Remote<RotateSecret>),
    /// Manage the logo of an OAuth client
    #[command(subcommand)]
    Logo(client_logo::LogoCommand),
}

#[derive(Debug, Args)]
pub struct ListClients {
    #[command(flatten)]
    project: ProjectOption,
}

#[derive(Debug, Args)]
pub struct CreateClient {
    #[command(flatten)]
    project: ProjectOption,
    /// Name that people see when they are asked for consent
    #[arg(long)]
    name: String,
    /// Whether the client can keep a secret: confidential for a program on a server, public for any other app
    #[arg(
        long = "type",
        value_name = "TYPE",
        value_parser = ClientType::ALL.map(ClientType::as_str),
        default_value = "public"
    )]
    client_type: String,
    /// Grant type that the client may use; can be repeated [default: authorization_code and refresh_token]
    #[arg(long = "grant-type", value_name = "TYPE", value_parser = GrantType::ALL.map(GrantType::as_str))]
    grant_types: Vec<String>,
    /// URI that may receive authorization codes; can be repeated; required for authorization_code
    #[arg(long = "redirect-uri", value_name = "URI")]
    redirect_uris: Vec<String>,
    /// Scopes that the client may request when a person signs in, separated by spaces [default: all]
    #[arg(long)]
    scope: Option<String>,
    /// Comma-separated roles (admin, write, read) or permissions such as db:read; required for client_credentials
    #[arg(long)]
    roles: Option<String>,
    /// Require a code challenge (PKCE) also of a confidential client
    #[arg(long)]
    require_pkce: bool,
    /// Do not ask people for consent, because the client belongs to the project itself
    #[arg(long)]
    skip_consent: bool,
    /// File with the public keys (JSON Web Key Set) of a confidential client that signs assertions instead of having a secret
    #[arg(long, value_name = "FILE")]
    jwks: Option<PathBuf>,
    /// Issue only tokens that are bound to a key of the client (DPoP)
    #[arg(long)]
    require_dpop: bool,
    /// Require pushed authorization requests (PAR)
    #[arg(long)]
    require_pushed_requests: bool,
    /// Lifetime of access tokens: 60 to 86400 [default: that of the service]
    #[arg(long, value_name = "SECONDS")]
    access_token_seconds: Option<u32>,
    /// Time since the sign-in after which tokens are not renewed: 300 to 31536000 [default: that of the service]
    #[arg(long, value_name = "SECONDS")]
    sign_in_seconds: Option<u32>,
}

#[derive(Debug, Args)]
pub struct UpdateClient {
    #[command(flatten)]
    named: NamedClient,
    /// New name that people see when they are asked for consent
    #[arg(long, required_unless_present_any = [
        "grant_types", "redirect_uris", "scope", "roles", "require_pkce", "no_require_pkce", "skip_consent",
        "ask_consent", "jwks", "require_dpop", "no_require_dpop", "require_pushed_requests", "no_require_pushed_requests",
        "access_token_seconds", "sign_in_seconds",
    ])]
    name: Option<String>,
    /// New grant type that the client may use, instead of the current ones; can be repeated
    #[arg(long = "grant-type", value_name = "TYPE", value_parser = GrantType::ALL.map(GrantType::as_str))]
    grant_types: Vec<String>,
    /// New URI that may receive authorization codes, instead of the current ones; can be repeated
    #[arg(long = "redirect-uri", value_name = "URI")]
    redirect_uris: Vec<String>,
    /// New scopes that the client may request when a person signs in, separated by spaces
    #[arg(long)]
    scope: Option<String>,
    /// New comma-separated roles (admin, write, read) or permissions such as db:read; empty for none
    #[arg(long)]
    roles: Option<String>,
    /// Require a code challenge (PKCE)
    #[arg(long, conflicts_with = "no_require_pkce")]
    require_pkce: bool,
    /// Do not require a code challenge; a public client always needs one
    #[arg(long)]
    no_require_pkce: bool,
    /// Do not ask people for consent, because the client belongs to the project itself
    #[arg(long, conflicts_with = "ask_consent")]
    skip_consent: bool,
    /// Ask people for consent
    #[arg(long)]
    ask_consent: bool,
    /// File with the new public keys (JSON Web Key Set) of a confidential client, instead of its secret or the current ones
    #[arg(long, value_name = "FILE")]
    jwks: Option<PathBuf>,
    /// Issue only tokens that are bound to a key of the client (DPoP)
    #[arg(long, conflicts_with = "no_require_dpop")]
    require_dpop: bool,
    /// Issue also tokens that are not bound to a key
    #[arg(long)]
    no_require_dpop: bool,
    /// Require pushed authorization requests (PAR)
    #[arg(long, conflicts_with = "no_require_pushed_requests")]
    require_pushed_requests: bool,
    /// Do not require pushed authorization requests
    #[arg(long)]
    no_require_pushed_requests: bool,
    /// New lifetime of access tokens: 60 to 86400, or 0 for that of the service
    #[arg(long, value_name = "SECONDS")]
    access_token_seconds: Option<u32>,
    /// New time since the sign-in after which tokens are not renewed: 300 to 31536000, or 0 for that of the service
    #[arg(long, value_name = "SECONDS")]
    sign_in_seconds: Option<u32>,
}

#[derive(Debug, Args)]
pub struct RotateSecret {
    #[command(flatten)]
    named: NamedClient,
    /// Number of seconds for which the old secret continues to work: at most 86400
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=86_400))]
    grace_seconds: u32,
}

pub async fn run(command: ClientCommand) -> anyhow::Result<()> {
    match command {
        ClientCommand::List(command) => list(&command.context()?, &command.arguments).await,
        ClientCommand::Get(command) => get(&command.context()?, &command.arguments).await,
        ClientCommand::Create(command) => create(&command.context()?, command.arguments).await,
        ClientCommand::Update(command) => update(&command.context()?, command.arguments).await,
        ClientCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
        ClientCommand::RotateSecret(command) => rotate_secret(&command.context()?, &command.arguments).await,
        ClientCommand::Logo(command) => client_logo::run(command).await,
    }
}

async fn list(context: &Context, arguments: &ListClients) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    context.output.list(&context.client.oauth_clients(&project).list().data().await?, COLUMNS)
}

async fn get(context: &Context, named: &NamedClient) -> anyhow::Result<()> {
    let project = context.project_id(named.project.project.as_deref()).await?;
    context.output.entry(&context.client.oauth_clients(&project).get(&named.client_id).data().await?)
}

async fn create(context: &Context, arguments: CreateClient) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let client = NewOAuthClient {
        name: arguments.name,
        client_type: arguments.client_type,
        grant_types: given(arguments.grant_types),
        redirect_uris: given(arguments.redirect_uris),
        scope: arguments.scope,
        roles: arguments.roles,
        // Without the option, the service decides by the type of the client.
        require_pkce: arguments.require_pkce.then_some(true),
        skip_consent: arguments.skip_consent.then_some(true),
        jwks: read_keys(arguments.jwks.as_deref())?,
        require_dpop: arguments.require_dpop.then_some(true),
        require_pushed_requests: arguments.require_pushed_requests.then_some(true),
        access_token_seconds: arguments.access_token_seconds,
        sign_in_seconds: arguments.sign_in_seconds,
    };
    let created = context.client.oauth_clients(&project).create(&client).data().await?;
    if created.client_secret.is_some() {
        terminal::note(STORE_SECRET);
    }
    context.output.entry(&created)
}

async fn update(context: &Context, arguments: UpdateClient) -> anyhow::Result<()> {
    let project = context.project_id(arguments.named.project.project.as_deref()).await?;
    let changes = OAuthClientChanges {
        name: arguments.name,
        grant_types: given(arguments.grant_types),
        redirect_uris: given(arguments.redirect_uris),
        scope: arguments.scope,
        roles: arguments.roles,
        require_pkce: switched(arguments.require_pkce, arguments.no_require_pkce),
        skip_consent: switched(arguments.skip_consent, arguments.ask_consent),
        jwks: read_keys(arguments.jwks.as_deref())?,
        require_dpop: switched(arguments.require_dpop, arguments.no_require_dpop),
        require_pushed_requests: switched(arguments.require_pushed_requests, arguments.no_require_pushed_requests),
        access_token_seconds: arguments.access_token_seconds,
        sign_in_seconds: arguments.sign_in_seconds,
    };
    let clients = context.client.oauth_clients(&project);
    context.output.entry(&clients.update(&arguments.named.client_id, &changes).data().await?)
}

/// Reads a set of keys from a file; `None` without a file.
fn read_keys(path: Option<&Path>) -> anyhow::Result<Option<Map<String, Value>>> {
    let Some(path) = path else { return Ok(None) };
    let bytes = std::fs::read(path).with_context(|| format!("Cannot read {}", path.display()))?;
    let keys = json_input::parse(&bytes).with_context(|| format!("{} has no JSON object", path.display()))?;
    Ok(Some(keys))
}

/// Returns the values of an option that can be repeated; `None` if it is not given.
fn given(values: Vec<String>) -> Option<Vec<String>> {
    (!values.is_empty()).then_some(values)
}

/// Returns the new value of a setting that one option turns on and another one off; `None` if neither is given.
fn switched(on: bool, off: bool) -> Option<bool> {
    if off { Some(false) } else { on.then_some(true) }
}

async fn delete(context: &Context, named: &NamedClient) -> anyhow::Result<()> {
    let project = context.project_id(named.project.project.as_deref()).await?;
    context.confirm(&format!("Delete the client {}? Its tokens stop working immediately.", named.client_id))?;
    context.client.oauth_clients(&project).delete(&named.client_id).done().await?;
    let entry = json!({"id": named.client_id, "deleted": true});
    context.output.done(&format!("The client {} is deleted.", named.client_id), &entry)
}

async fn rotate_secret(context: &Context, arguments: &RotateSecret) -> anyhow::Result<()> {
    let RotateSecret { named, grace_seconds } = arguments;
    let project = context.project_id(named.project.project.as_deref()).await?;
    if *grace_seconds == 0 {
        context.confirm(&format!(
            "Rotate the secret of the client {}? The old secret stops working immediately.",
            named.client_id
        ))?;
    }
    let rotated = context.client.oauth_clients(&project).rotate_secret(&named.client_id, *grace_seconds).data().await?;
    terminal::note(STORE_SECRET);
    context.output.entry(&rotated)
}
