//! `steward invite`.

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;
use steward_client::{Invite, NewInvite, Timestamp};

use super::{Context, ListColumns, ListOptions, Remote, pages};

const COLUMNS: &[&str] = &["id", "email_or_username", "roles", "delivery", "expires_at"];
const OWN_COLUMNS: &[&str] = &["id", "team_slug", "team_name", "roles", "expires_at"];

#[derive(Debug, Subcommand)]
pub enum InviteCommand {
    /// List the pending invites of a team, or those that you received
    #[command(after_help = "Examples:\n  steward invite list --team acme\n  steward invite list")]
    List(Remote<ListInvites>),
    /// Get a pending invite of a team
    Get(Remote<NamedInvite>),
    /// Invite someone to a team, or renew the pending invite for the same recipient
    #[command(after_help = "Examples:\n  \
        steward invite create --team acme --email ann@example.com --roles developer\n  \
        steward invite create --team acme --username ann --roles viewer --role-name Guest")]
    Create(Remote<CreateInvite>),
    /// Revoke an invite
    #[command(visible_alias = "revoke")]
    Delete(Remote<NamedInvite>),
    /// Accept an invite that you received
    Accept(Remote<OwnInvite>),
    /// Decline an invite that you received
    Decline(Remote<OwnInvite>),
}

#[derive(Debug, Args)]
pub struct ListInvites {
    /// ID or slug of the team; without it, the invites that you received are listed
    #[arg(long)]
    team: Option<String>,
    #[command(flatten)]
    list: ListOptions,
}

#[derive(Debug, Args)]
pub struct NamedInvite {
    /// ID of the invite
    invite_id: String,
    /// ID or slug of the team
    #[arg(long)]
    team: String,
}

#[derive(Debug, Args)]
pub struct CreateInvite {
    /// ID or slug of the team
    #[arg(long)]
    team: String,
    /// Email address of the recipient
    #[arg(long, required_unless_present = "username", conflicts_with = "username")]
    email: Option<String>,
    /// Username of the recipient
    #[arg(long)]
    username: Option<String>,
    /// Comma-separated roles (owner, admin, developer, viewer) and permissions such as project:read
    #[arg(long)]
    roles: String,
    /// Label of the role, which grants no permissions
    #[arg(long)]
    role_name: Option<String>,
    /// When the invite expires, such as 2026-02-07T12:00:00Z [default: in 7 days]
    #[arg(long)]
    expires_at: Option<chrono::DateTime<chrono::Utc>>,
}

#[derive(Debug, Args)]
pub struct OwnInvite {
    /// ID of the invite
    invite_id: String,
}

pub async fn run(command: InviteCommand) -> anyhow::Result<()> {
    match command {
        InviteCommand::List(command) => list(&command.context()?, &command.arguments).await,
        InviteCommand::Get(command) => get(&command.context()?, &command.arguments).await,
        InviteCommand::Create(command) => create(&command.context()?, command.arguments).await,
        InviteCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
        InviteCommand::Accept(command) => accept(&command.context()?, &command.arguments).await,
        InviteCommand::Decline(command) => decline(&command.context()?, &command.arguments).await,
    }
}

async fn list(context: &Context, arguments: &ListInvites) -> anyhow::Result<()> {
    let Some(team) = &arguments.team else {
        let invites = context.client.own_invites().list();
        return arguments.list.print(context, invites, ListColumns::Named(OWN_COLUMNS)).await;
    };
    let team = context.team_id(team).await?;
    arguments.list.print(context, context.client.invites(&team).list(), ListColumns::Named(COLUMNS)).await
}

async fn get(context: &Context, named: &NamedInvite) -> anyhow::Result<()> {
    let team = context.team_id(&named.team).await?;
    let is_named = |invite: &Invite| invite.id.to_string().eq_ignore_ascii_case(&named.invite_id);
    let found = pages::find(context.client.invites(&team).list(), is_named).await?;
    context.output.entry(&found.with_context(|| format!("The team has no pending invite {}.", named.invite_id))?)
}

async fn create(context: &Context, arguments: CreateInvite) -> anyhow::Result<()> {
    let team = context.team_id(&arguments.team).await?;
    let CreateInvite { email, username, roles, role_name, expires_at, .. } = arguments;
    let expires_at = expires_at.map(|time| Timestamp::from(time).to_string());
    let invite = NewInvite { email, username, roles, role_name, expires_at };
    context.output.entry(&context.client.invites(&team).create(&invite).data().await?)
}

async fn delete(context: &Context, named: &NamedInvite) -> anyhow::Result<()> {
    let team = context.team_id(&named.team).await?;
    context.confirm(&format!("Revoke the invite {}?", named.invite_id))?;
    context.client.invites(&team).delete(&named.invite_id).done().await?;
    let entry = json!({"id": named.invite_id, "deleted": true});
    context.output.done(&format!("The invite {} is revoked.", named.invite_id), &entry)
}

async fn accept(context: &Context, own: &OwnInvite) -> anyhow::Result<()> {
    context.output.entry(&context.client.own_invites().accept(&own.invite_id).data().await?)
}

async fn decline(context: &Context, own: &OwnInvite) -> anyhow::Result<()> {
    context.client.own_invites().decline(&own.invite_id).done().await?;
    let entry = json!({"id": own.invite_id, "declined": true});
    context.output.done(&format!("The invite {} is declined.", own.invite_id), &entry)
}
