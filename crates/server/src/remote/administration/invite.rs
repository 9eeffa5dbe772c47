//! `steward invite`.

use anyhow::Context as _;
use clap::Args;
use steward_client::Invite;

use crate::remote::output::pages;
use crate::remote::plain::noun;
use crate::remote::{Context, ListOptions, Remote, as_sent};

const COLUMNS: &[&str] = &["id", "email_or_username", "roles", "delivery", "expires_at"];
const OWN_COLUMNS: &[&str] = &["id", "team_slug", "team_name", "roles", "expires_at"];

noun! {
    InviteCommand {
        /// List the pending invites of a team, or those that you received
        #[command(after_help = "Examples:\n  steward invite list --team acme\n  steward invite list")]
        List(Remote<ListInvites>) => list,
        /// Get a pending invite of a team
        Get(Remote<NamedInvite>) => get,
    }

    "invite list" {}
    "invite get" {}
    /// Invite someone to a team, or renew the pending invite for the same recipient
    "invite create", example("--team acme --email ann@example.com --roles developer"),
        example("--team acme --username ann --roles viewer --role-name Guest") {
        /// Email address of the recipient
        text "email", arg(|email| email.required_unless_present("username").conflicts_with("username"));
        /// Username of the recipient
        text "username";
        /// Comma-separated roles (owner, admin, developer, viewer) and permissions such as project:read
        text "roles";
        /// Label of the role, which grants no permissions
        text "role-name";
        /// When the invite expires, such as 2026-02-07T12:00:00Z [default: in 7 days]
        time "expires-at";
    }
    /// Revoke an invite
    "invite delete", alias("revoke"), confirm("Revoke the invite {}?"),
        done("deleted", "The invite {} is revoked.") {}
    /// Accept an invite that you received
    "invite accept" {
        /// ID of the invite
        text "invite-id", positional();
    }
    /// Decline an invite that you received
    "invite decline", done("declined", "The invite {} is declined.") {
        /// ID of the invite
        text "invite-id", positional();
    }
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

async fn list(context: &Context, arguments: ListInvites) -> anyhow::Result<()> {
    let Some(team) = &arguments.team else {
        let invites = context.client.own_invites().list();
        return arguments.list.print(context, invites, OWN_COLUMNS, as_sent).await;
    };
    let team = context.team_id(team).await?;
    arguments.list.print(context, context.client.invites(&team).list(), COLUMNS, as_sent).await
}

async fn get(context: &Context, named: NamedInvite) -> anyhow::Result<()> {
    let team = context.team_id(&named.team).await?;
    let is_named = |invite: &Invite| invite.id.to_string().eq_ignore_ascii_case(&named.invite_id);
    let found = pages::find(context.client.invites(&team).list(), |invite| Some(invite).filter(is_named)).await?;
    context.output.entry(&found.with_context(|| format!("The team has no pending invite {}.", named.invite_id))?)
}
