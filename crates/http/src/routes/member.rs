//! Members of teams (contract 8).

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{AuditScope, Member, RoleName};
use steward_domain::policy::RoleSet;
use steward_domain::usecases::{AffectedResources, Steward, UpdateMember};
use utoipa::ToSchema;

use super::{Address, at};
use crate::Api;
use crate::answer::{self, Listing, moment};
use crate::body::JsonBody;
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query};
use crate::streamed;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/team/{team_id}/member").get(list).mount(routes);
    at("/team/{team_id}/member/{member_id}").on(Method::PATCH, update).on(Method::DELETE, remove).mount(routes);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MemberListed {
    account_id: String,
    roles: String,
    role_name: String,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<Member> for MemberListed {
    fn from(member: Member) -> Self {
        Self {
            account_id: member.account_id.to_string(),
            roles: member.roles.to_string(),
            role_name: member.role_name.to_string(),
            created_at: moment(member.created_at),
        }
    }
}

/// A membership.
#[derive(Serialize, ToSchema)]
pub(crate) struct Membership {
    team_id: String,
    account_id: String,
    roles: String,
    role_name: String,
}

impl From<Member> for Membership {
    fn from(member: Member) -> Self {
        Self {
            team_id: member.team_id.to_string(),
            account_id: member.account_id.to_string(),
            roles: member.roles.to_string(),
            role_name: member.role_name.to_string(),
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateMemberBody {
    /// Comma-separated role names and permissions.
    roles: Option<String>,
    role_name: Option<String>,
}

impl UpdateMemberBody {
    fn parse(self, mut errors: FieldViolations) -> Result<UpdateMember, Error> {
        if self.roles.is_none() && self.role_name.is_none() {
            errors.note::<(), _>("roles", Err("send roles, a role_name, or both"));
        }
        let roles = self.roles.map(|text| errors.note("roles", RoleSet::parse(&text)));
        let role_name = self.role_name.map(|text| errors.note("role_name", RoleName::parse(&text)));
        errors.or(Some(UpdateMember { roles: roles.flatten(), role_name: role_name.flatten() }))
    }
}

/// List a team's members
#[utoipa::path(get, path = "/team/{team_id}/member", operation_id = "listMembers", tag = "teams",
    params(("team_id" = String, Path), PageParameters),
    responses((status = 200, body = inline(Listing<MemberListed>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let team = named.team()?;
    let read = async move |steward: Arc<Steward>, caller, page| steward.members.list(&caller, team, &page).await;
    streamed::list(&api, &caller, named.request(), query.page()?, read, MemberListed::from).await
}

/// Change a member's roles or role label
#[utoipa::path(patch, path = "/team/{team_id}/member/{member_id}", operation_id = "updateMember", tag = "teams",
    params(("team_id" = String, Path), ("member_id" = String, Path, description = "the account id")),
    request_body = UpdateMemberBody,
    responses((status = 200, body = MemberChanged), (status = 409, body = ErrorBody)))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (team, account) = (named.team()?, named.member()?);
    let command = body.of_entity::<MemberListed>().read(UpdateMemberBody::parse)?;
    let (member, affected) = api.steward.members.update(&caller.0, team, account, command).await?;
    Ok(answer::ok(&MemberChanged { data: Membership::from(member), affected: affected.into() }))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MemberChanged {
    data: Membership,
    #[serde(flatten)]
    affected: AffectedBody,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MemberRemoved {
    success: bool,
    #[serde(flatten)]
    affected: AffectedBody,
}

/// What rested on the authority that the member lost.
#[derive(Serialize, ToSchema)]
pub(crate) struct AffectedBody {
    /// The keys whose value the member knows and that may do more than the member. They keep working: regenerate them.
    affected_keys: Vec<AffectedKey>,
    /// The pending invites by the member that the member may not make any more. They are revoked.
    affected_invites: Vec<AffectedInvite>,
    /// The webhooks that the member authorized and may not authorize any more. They are paused.
    affected_webhooks: Vec<AffectedWebhook>,
}

impl From<AffectedResources> for AffectedBody {
    fn from(affected: AffectedResources) -> Self {
        let keys = affected.keys.into_iter().map(|key| AffectedKey {
            id: key.id.to_string(),
            project_id: key.project_id.to_string(),
            label: key.label.to_string(),
        });
        let invites = affected.invites.into_iter();
        let invites =
            invites.map(|invite| AffectedInvite { id: invite.id.to_string(), roles: invite.roles.to_string() });
        let webhooks = affected.webhooks.into_iter().map(|webhook| AffectedWebhook {
            id: webhook.id.to_string(),
            project_id: match webhook.scope {
                AuditScope::Team(_) => None,
                AuditScope::Project(_, project) => Some(project.to_string()),
            },
        });
        Self {
            affected_keys: keys.collect(),
            affected_invites: invites.collect(),
            affected_webhooks: webhooks.collect(),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AffectedInvite {
    id: String,
    roles: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AffectedWebhook {
    id: String,
    /// The project that it is of; null for one of the team.
    project_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AffectedKey {
    id: String,
    project_id: String,
    label: String,
}

/// End a membership; one's own: leave
#[utoipa::path(delete, path = "/team/{team_id}/member/{member_id}", operation_id = "removeMember", tag = "teams",
    params(("team_id" = String, Path), ("member_id" = String, Path, description = "the account id")),
    responses((status = 200, body = MemberRemoved), (status = 409, body = ErrorBody)))]
pub(crate) async fn remove(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let affected = api.steward.members.remove(&caller.0, named.team()?, named.member()?).await?;
    Ok(answer::ok(&MemberRemoved { success: true, affected: affected.into() }))
}
