//! `steward member`.

use anyhow::Context as _;
use clap::Args;
use steward_client::{AffectedClient, AffectedIdentityProvider, AffectedKey, AffectedResources, Member, MemberChanges};
use steward_domain::kernel::policy::EndableKind;

use crate::remote::output::pages;
use crate::remote::plain::noun;
use crate::remote::{Context, Remote, people};
use crate::terminal;

const COLUMNS: &[&str] = &["account_id", "username", "email", "name", "roles", "created_at"];

noun! {
    MemberCommand {
        /// Get a member
        Get(Remote<NamedMember>) => get,
        /// Change the roles of a member; the role `owner` makes the member an owner of the team
        #[command(after_help = "Examples:\n  \
            steward member update ann@example.com --team acme --roles developer")]
        Update(Remote<UpdateMember>) => update,
        /// Remove a member from a team
        #[command(
            visible_alias = "remove",
            after_help = "Examples:\n  \
            steward member delete ann --team acme --yes\n  \
            steward member delete ann --team acme --end keys,clients,identity_providers"
        )]
        Delete(Remote<DeleteMember>) => delete,
    }

    /// List the members of a team, oldest first
    "member list", example("--team acme"), columns(COLUMNS) {}
    "member get" {}
    "member update" {}
    "member delete" {}
}

#[derive(Debug, Args)]
pub struct NamedMember {
    /// Account ID, username or email address of the member
    member: String,
    /// ID or slug of the team
    #[arg(long)]
    team: String,
}

#[derive(Debug, Args)]
pub struct UpdateMember {
    #[command(flatten)]
    named: NamedMember,
    /// Comma-separated roles (owner, admin, developer, viewer) and permissions such as project:read
    #[arg(long, required_unless_present = "role_name")]
    roles: Option<String>,
    /// Label of the role, which grants no permissions
    #[arg(long)]
    role_name: Option<String>,
    #[command(flatten)]
    end: EndOption,
}

#[derive(Debug, Args)]
pub struct DeleteMember {
    #[command(flatten)]
    named: NamedMember,
    #[command(flatten)]
    end: EndOption,
}

#[derive(Debug, Args)]
struct EndOption {
    /// Comma-separated kinds of what the member created or knows that are deleted in the same change [default: none]
    #[arg(
        long = "end",
        value_name = "KINDS",
        value_delimiter = ',',
        value_parser = EndableKind::ALL.map(EndableKind::as_str)
    )]
    kinds: Vec<String>,
}

impl EndOption {
    /// Returns the value of the parameter, if anything ends.
    fn parameter(&self) -> Option<String> {
        (!self.kinds.is_empty()).then(|| self.kinds.join(","))
    }
}

async fn get(context: &Context, named: NamedMember) -> anyhow::Result<()> {
    let team = context.team_id(&named.team).await?;
    let account_id = people::account_id(context, &team, &named.member).await?;
    let is_named = |member: &Member| member.account_id.to_string().eq_ignore_ascii_case(&account_id);
    let found = pages::find(context.client.members(&team).list(), |member| Some(member).filter(is_named)).await?;
    context.output.entry(&found.with_context(|| format!("{} is not a member of {}.", named.member, named.team))?)
}

async fn update(context: &Context, arguments: UpdateMember) -> anyhow::Result<()> {
    let team = context.team_id(&arguments.named.team).await?;
    let account_id = people::account_id(context, &team, &arguments.named.member).await?;
    let changes = MemberChanges { roles: arguments.roles, role_name: arguments.role_name };
    let update = context.client.members(&team).update(&account_id, &changes);
    let updated = update.optional_query("end", arguments.end.parameter()).json().await?;
    warn(&updated.affected);
    context.output.entry(&updated)
}

async fn delete(context: &Context, arguments: DeleteMember) -> anyhow::Result<()> {
    let (named, ended) = (&arguments.named, arguments.end.parameter());
    let team = context.team_id(&named.team).await?;
    let account_id = people::account_id(context, &team, &named.member).await?;
    let also = ended.as_ref().map(|kinds| format!(", and delete what the member set up ({kinds})")).unwrap_or_default();
    context.confirm(&format!("Remove {} from the team {}{also}?", named.member, named.team))?;
    let removal = context.client.members(&team).remove(&account_id).optional_query("end", ended);
    let affected = removal.json().await?.affected;
    warn(&affected);
    context.output.done(&format!("{} is no longer a member of {}.", named.member, named.team), &affected)
}

/// Names the keys that the member still knows, and the clients and identity providers that go on.
fn warn(affected: &AffectedResources) {
    for AffectedKey { label, id, project_id, .. } in affected.affected_keys.iter().filter(|key| !key.ended) {
        terminal::note(&format!("The member knows the key {label:?} ({id}) of the project {project_id}. Rotate it."));
    }
    for AffectedClient { name, id, project_id, .. } in affected.affected_clients.iter().filter(|client| !client.ended) {
        terminal::note(&format!(
            "The member set up the OAuth client {name:?} ({id}) of the project {project_id}. Rotate its secret, or \
             delete it."
        ));
    }
    let providers = affected.affected_identity_providers.iter().filter(|provider| !provider.ended);
    for AffectedIdentityProvider { name, id, project_id, .. } in providers {
        terminal::note(&format!(
            "The member set up the identity provider {name:?} ({id}) of the project {project_id}. Delete it, unless \
             you trust it."
        ));
    }
}
