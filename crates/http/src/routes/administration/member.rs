//! Members of teams (docs/contract.md#members).

use steward_api as wire;
use steward_domain::administration::{AffectedResources, Member, MemberWithAccount, UpdateMember};
use steward_domain::kernel::RoleName;
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::{EndableKind, RoleSet};

use crate::route::serve;
use crate::serve::{Call, Outcome, Tag};

serve! {
    ListMembers => list;
    UpdateMember => update;
    RemoveMember => remove;
}

fn member_with_account(found: MemberWithAccount) -> wire::Member {
    let MemberWithAccount { member, account } = found;
    let (name, username, email) = account.map_or((None, None, None), |account| {
        let (name, username) = (account.name.as_ref(), account.username.as_ref());
        (name.map(ToString::to_string), username.map(ToString::to_string), Some(account.email.to_string()))
    });
    wire::Member { name, username, email, ..shown_member(member) }
}

fn shown_member(member: Member) -> wire::Member {
    wire::Member {
        name: None,
        username: None,
        email: None,
        account_id: member.account_id.uuid().into(),
        roles: member.roles.to_string(),
        role_name: member.role_name.or_title_of(&member.roles).to_owned(),
        created_at: member.created_at.into(),
    }
}

pub(crate) fn membership(member: &Member) -> wire::Membership {
    wire::Membership {
        team_id: member.team_id.uuid().into(),
        account_id: member.account_id.uuid().into(),
        roles: member.roles.to_string(),
        role_name: member.role_name.or_title_of(&member.roles).to_owned(),
    }
}

/// Returns the entity tag of a member.
pub(crate) fn tag(member: Member) -> Tag<wire::Member> {
    Tag::of(member.revision, &shown_member(member))
}

fn parse_member_changes(body: wire::MemberChanges, mut errors: FieldViolations) -> Result<UpdateMember, Error> {
    if body.roles.is_none() && body.role_name.is_none() {
        errors.check::<(), _>("roles", Err("`roles` or `role_name` is required"));
    }
    let command = UpdateMember {
        roles: errors.check_given("roles", body.roles.as_deref(), RoleSet::parse),
        role_name: errors.check_given("role_name", body.role_name.as_deref(), RoleName::parse),
    };
    errors.finish(Some(command))
}

fn affected_resources(affected: &AffectedResources) -> wire::AffectedResources {
    let ends = |kind| affected.ended.contain(kind);
    let keys = affected.keys.iter().map(|key| wire::AffectedKey {
        id: key.id.uuid().into(),
        project_id: key.project_id.uuid().into(),
        label: key.label.to_string(),
        ended: ends(EndableKind::Keys),
    });
    let clients = affected.clients.iter().map(|client| wire::AffectedClient {
        id: client.id.uuid().into(),
        project_id: client.project_id.uuid().into(),
        name: client.settings.name.to_string(),
        ended: ends(EndableKind::Clients),
    });
    let providers = affected.identity_providers.iter().filter_map(|provider| {
        Some(wire::AffectedIdentityProvider {
            id: provider.id.uuid().into(),
            project_id: provider.project_id?.uuid().into(),
            name: provider.name.to_string(),
            ended: ends(EndableKind::IdentityProviders),
        })
    });
    let invites = affected.invites.iter();
    let invites =
        invites.map(|invite| wire::AffectedInvite { id: invite.id.uuid().into(), roles: invite.roles.to_string() });
    let webhooks = affected.webhooks.iter().map(|webhook| wire::AffectedWebhook {
        id: webhook.id.uuid().into(),
        project_id: webhook.project_id.map(|project| project.uuid().into()),
    });
    wire::AffectedResources {
        affected_keys: keys.collect(),
        affected_clients: clients.collect(),
        affected_identity_providers: providers.collect(),
        affected_invites: invites.collect(),
        affected_webhooks: webhooks.collect(),
    }
}

async fn list(call: Call<wire::ListMembers>) -> Outcome<wire::ListMembers> {
    let team = call.path;
    call.list(member_with_account, async move |steward, caller, page| {
        steward.members.list_with_accounts(&caller, team, &page).await
    })
    .await
}

async fn update(call: Call<wire::UpdateMember>) -> Outcome<wire::UpdateMember> {
    let ((team, account), ended) = (call.path, call.query().ended_kinds()?);
    let command = call.body()?.with_id("account_id", account.uuid()).read(parse_member_changes)?;
    let members = &call.api.steward.members;
    let (member, affected) = members.update(&call.caller, team, account, command, &ended, call.when()).await?;
    let body = wire::UpdatedMember { data: membership(&member), affected: affected_resources(&affected) };
    call.about(tag(member), body)
}

async fn remove(call: Call<wire::RemoveMember>) -> Outcome<wire::RemoveMember> {
    let ((team, account), ended) = (call.path, call.query().ended_kinds()?);
    let affected = call.api.steward.members.remove(&call.caller, team, account, &ended, call.when()).await?;
    call.reply(wire::RemovedMember { success: true, affected: affected_resources(&affected) })
}
