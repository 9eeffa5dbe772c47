//! Members of teams (docs/contract.md#members).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{Member, MemberWithAccount, RoleName};
use steward_domain::policy::{EndableKind, RoleSet};
use steward_domain::usecases::{AffectedResources, Steward, UpdateMember};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListMembers => list;
        UpdateMember => update;
        RemoveMember => remove;
    }
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
pub(crate) fn tag(member: Member) -> ResourceTag {
    ResourceTag::of(member.revision, &shown_member(member))
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

pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let team = path.team()?;
    let read =
        async move |steward: Arc<Steward>, caller, page| steward.members.list_with_accounts(&caller, team, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, member_with_account).await
}

pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (team, account, when) = (path.team()?, path.member()?, precondition::for_write(path.request())?);
    let ended = query.ended_kinds()?;
    let command = body.with_ids([("account_id", account.uuid())]).read(parse_member_changes)?;
    let (member, affected) = api.steward.members.update(&caller.0, team, account, command, &ended, &when).await?;
    let updated =
        response::ok(&wire::UpdatedMember { data: membership(&member), affected: affected_resources(&affected) });
    Ok(response::tagged(tag(member), updated))
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

pub(crate) async fn remove(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (team, account, when) = (path.team()?, path.member()?, precondition::for_write(path.request())?);
    let affected = api.steward.members.remove(&caller.0, team, account, &query.ended_kinds()?, &when).await?;
    Ok(response::ok(&wire::RemovedMember { success: true, affected: affected_resources(&affected) }))
}
