//! Members of teams (docs/contract.md#members).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{Member, MemberWithAccount, RoleName};
use steward_domain::policy::RoleSet;
use steward_domain::usecases::{AffectedResources, Steward, UpdateMember};
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::page::PageParameters;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, PathIds, Query};
use crate::response::{self, Listing, format_timestamp};
use crate::route::{ApiRoute, operations};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        MemberList => list;
        MemberUpdate => update [LastOwner, PreconditionFailed];
        MemberRemove => remove [LastOwner, PreconditionFailed];
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MemberBody {
    /// Account ID of the member.
    account_id: String,
    /// Comma-separated roles of the member.
    #[schema(example = "developer")]
    roles: String,
    /// Label of the member's role. It grants no permissions. If none is set, the name of the role, or `Custom`.
    role_name: String,
    /// When the account became a member.
    #[schema(format = DateTime)]
    created_at: String,
    /// Name of the person. Absent without a name, and for API keys, which do not see who the members are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Ann")]
    name: Option<String>,
    /// Public username. Absent without one, and for API keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    /// Email address. Absent for API keys, and while the account is being deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = Email)]
    email: Option<String>,
}

impl From<MemberWithAccount> for MemberBody {
    fn from(found: MemberWithAccount) -> Self {
        let MemberWithAccount { member, account } = found;
        let (name, username, email) = account.map_or((None, None, None), |account| {
            let (name, username) = (account.name.as_ref(), account.username.as_ref());
            (name.map(ToString::to_string), username.map(ToString::to_string), Some(account.email.to_string()))
        });
        Self { name, username, email, ..Self::from(member) }
    }
}

impl From<Member> for MemberBody {
    fn from(member: Member) -> Self {
        Self {
            name: None,
            username: None,
            email: None,
            account_id: member.account_id.to_string(),
            roles: member.roles.to_string(),
            role_name: member.role_name.or_title_of(&member.roles).to_owned(),
            created_at: format_timestamp(member.created_at),
        }
    }
}

/// Membership of an account in a team.
#[derive(Serialize, ToSchema)]
pub(crate) struct Membership {
    /// ID of the team.
    team_id: String,
    /// Account ID of the member.
    account_id: String,
    /// Comma-separated roles of the member.
    #[schema(example = "developer")]
    roles: String,
    /// Label of the member's role. It grants no permissions. If none is set, the name of the role, or `Custom`.
    role_name: String,
}

impl From<&Member> for Membership {
    fn from(member: &Member) -> Self {
        Self {
            team_id: member.team_id.to_string(),
            account_id: member.account_id.to_string(),
            roles: member.roles.to_string(),
            role_name: member.role_name.or_title_of(&member.roles).to_owned(),
        }
    }
}

/// Returns the entity tag of a member.
pub(crate) fn tag(member: Member) -> ResourceTag {
    ResourceTag::of(member.revision, &MemberBody::from(member))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct MemberPatch {
    /// Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`. At
    /// least one of `roles` and `role_name` is required.
    #[schema(example = "developer")]
    roles: Option<String>,
    /// Label of the member's role: at most 64 characters. It grants no permissions.
    role_name: Option<String>,
}

impl MemberPatch {
    fn parse(self, mut errors: FieldViolations) -> Result<UpdateMember, Error> {
        if self.roles.is_none() && self.role_name.is_none() {
            errors.check::<(), _>("roles", Err("`roles` or `role_name` is required"));
        }
        let roles = self.roles.map(|text| errors.check("roles", RoleSet::parse(&text)));
        let role_name = self.role_name.map(|text| errors.check("role_name", RoleName::parse(&text)));
        errors.finish(Some(UpdateMember { roles: roles.flatten(), role_name: role_name.flatten() }))
    }
}

/// List members
///
/// Returns the members of the team, oldest first.
#[utoipa::path(get, path = "/team/{team_id}/member", tag = "teams", params(PageParameters),
    responses((status = 200, body = inline(Listing<MemberBody>), description = "The members of the team.")))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let team = path.team()?;
    let read =
        async move |steward: Arc<Steward>, caller, page| steward.members.list_with_accounts(&caller, team, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, MemberBody::from).await
}

/// Update a member
///
/// Changes the roles or the role label of a member. The response lists the API keys, invites and webhooks that depend
/// on permissions which the member no longer has.
#[utoipa::path(patch, path = "/team/{team_id}/member/{member_id}", tag = "teams", request_body = MemberPatch,
    responses((status = 200, body = MemberUpdated, description = "The member after the update.")))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (team, account, when) = (path.team()?, path.member()?, precondition::for_write(path.request())?);
    let command = body.ignoring_fields_of::<MemberBody>().read(MemberPatch::parse)?;
    let (member, affected) = api.steward.members.update(&caller.0, team, account, command, &when).await?;
    let updated = response::ok(&MemberUpdated { data: Membership::from(&member), affected: affected.into() });
    Ok(response::tagged(tag(member), updated))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MemberUpdated {
    /// The membership after the update.
    data: Membership,
    #[serde(flatten)]
    affected: AffectedBody,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MemberRemoved {
    /// Always `true`.
    success: bool,
    #[serde(flatten)]
    affected: AffectedBody,
}

/// Resources that depend on permissions which the member lost.
#[derive(Serialize, ToSchema)]
pub(crate) struct AffectedBody {
    /// API keys with a value that the member knows and with permissions that the member no longer has. They continue to
    /// work: rotate them.
    affected_keys: Vec<AffectedKey>,
    /// Pending invites of the member that the member may no longer create. They are revoked.
    affected_invites: Vec<AffectedInvite>,
    /// Webhooks that the member authorized and may no longer authorize. They are paused.
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
            project_id: webhook.project_id.map(|project| project.to_string()),
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
    /// ID of the invite.
    id: String,
    /// Comma-separated roles of the invite.
    #[schema(example = "admin")]
    roles: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AffectedWebhook {
    /// ID of the webhook.
    id: String,
    /// ID of the webhook's project; null if the webhook belongs to the team.
    project_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AffectedKey {
    /// ID of the API key.
    id: String,
    /// ID of the key's project.
    project_id: String,
    /// Display name of the key.
    label: String,
}

/// Remove a member
///
/// Removes a member from the team. Members can remove themselves to leave the team. The response lists the API keys,
/// invites and webhooks that depend on permissions which the member no longer has.
#[utoipa::path(delete, path = "/team/{team_id}/member/{member_id}", tag = "teams",
    responses((status = 200, body = MemberRemoved, description = "The member was removed.")))]
pub(crate) async fn remove(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (team, account, when) = (path.team()?, path.member()?, precondition::for_write(path.request())?);
    let affected = api.steward.members.remove(&caller.0, team, account, &when).await?;
    Ok(response::ok(&MemberRemoved { success: true, affected: affected.into() }))
}
