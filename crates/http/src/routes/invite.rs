//! Invites to teams (docs/contract.md#invites).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{Email, InviteId, InviteWithTeam, Recipient, RoleName, Username};
use steward_domain::policy::RoleSet;
use steward_domain::usecases::{CreateInvite, Invited, Steward, TeamInvite};
use utoipa::ToSchema;

use super::member::{self, Membership};
use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, parse_timestamp};
use crate::extract::page::PageParameters;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, PathIds, Query};
use crate::response::{self, Data, Listing, Success, format_timestamp};
use crate::route::{ApiRoute, operations};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        InviteList => list;
        InviteCreate => create [AlreadyMember, QuotaExceeded];
        InviteRevoke => revoke [PreconditionFailed];
        OwnInviteList => list_own;
        InviteAccept => accept [NotFound, AlreadyMember, QuotaExceeded];
        InviteDecline => decline [NotFound];
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct InviteBody {
    /// Unique ID of the invite.
    id: String,
    /// ID of the team that the invite is for.
    team_id: String,
    /// Email address or username of the recipient.
    #[schema(example = "ann@example.com")]
    email_or_username: String,
    /// Comma-separated roles that the recipient gets in the team.
    #[schema(example = "developer")]
    roles: String,
    /// Label of the role that the recipient gets. It grants no permissions. If none is set, the name of the role, or
    /// `Custom`.
    role_name: String,
    /// When the invite was created or last renewed.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the invite expires.
    #[schema(format = DateTime, example = "2026-02-07T12:00:00.000Z")]
    expires_at: String,
    /// How the invite reaches its recipient: `link` if no email is sent and the inviter passes on the
    /// link, or the state of the email: `queued`, `sent` or `failed`.
    #[schema(example = "sent")]
    delivery: &'static str,
    /// URL of the page where the recipient accepts or declines the invite. Only present for callers who may invite. It
    /// grants nothing: only the recipient can accept the invite.
    #[schema(example = "https://steward.example.com/auth/invite?invite=018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55")]
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

impl From<TeamInvite> for InviteBody {
    fn from(TeamInvite { invite, delivery, link }: TeamInvite) -> Self {
        Self {
            id: invite.id.to_string(),
            team_id: invite.team_id.to_string(),
            email_or_username: invite.recipient.to_string(),
            roles: invite.roles.to_string(),
            role_name: invite.role_name.or_title_of(&invite.roles).to_owned(),
            created_at: format_timestamp(invite.created_at),
            expires_at: format_timestamp(invite.expires_at),
            delivery: delivery.as_str(),
            link,
        }
    }
}

/// An invite as its recipient sees it.
#[derive(Serialize, ToSchema)]
pub(crate) struct OwnInvite {
    /// Unique ID of the invite.
    id: String,
    /// ID of the team that the invite is for.
    team_id: String,
    /// Name of the team.
    #[schema(example = "Acme")]
    team_name: String,
    /// Slug of the team.
    #[schema(example = "acme")]
    team_slug: String,
    /// Email address or username of the caller to which the invite was sent.
    #[schema(example = "ann@example.com")]
    email_or_username: String,
    /// Comma-separated roles that the caller gets in the team.
    #[schema(example = "developer")]
    roles: String,
    /// Label of the role that the caller gets. It grants no permissions. If none is set, the name of the role, or
    /// `Custom`.
    role_name: String,
    /// When the invite was created or last renewed.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the invite expires.
    #[schema(format = DateTime, example = "2026-02-07T12:00:00.000Z")]
    expires_at: String,
}

impl From<InviteWithTeam> for OwnInvite {
    fn from(found: InviteWithTeam) -> Self {
        let invite = found.invite;
        Self {
            id: invite.id.to_string(),
            team_id: invite.team_id.to_string(),
            team_name: found.team_name.to_string(),
            team_slug: found.team_slug.to_string(),
            email_or_username: invite.recipient.to_string(),
            roles: invite.roles.to_string(),
            role_name: invite.role_name.or_title_of(&invite.roles).to_owned(),
            created_at: format_timestamp(invite.created_at),
            expires_at: format_timestamp(invite.expires_at),
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[schema(example = json!({"email": "ann@example.com", "roles": "developer", "role_name": "Developer"}))]
pub(crate) struct NewInvite {
    /// Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`. You
    /// can grant only permissions that you have.
    roles: String,
    /// Email address of the recipient. Send either `email` or `username`.
    email: Option<String>,
    /// Username of the recipient. Send either `email` or `username`.
    username: Option<String>,
    /// Label of the role: at most 64 characters. It grants no permissions.
    role_name: Option<String>,
    /// When the invite expires: 7 days from now by default, at most 30 days from now.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

impl NewInvite {
    fn parse(self, mut errors: FieldViolations) -> Result<CreateInvite, Error> {
        let recipient = match (&self.email, &self.username) {
            (Some(text), None) => errors.check("email", Email::parse(text)).map(Recipient::Email),
            (None, Some(text)) => errors.check("username", Username::parse(text)).map(Recipient::Username),
            _ => errors.check("email", Err("either `email` or `username` is required, but not both")),
        };
        let roles = errors.check("roles", RoleSet::parse(&self.roles));
        let role_name = errors.check("role_name", RoleName::parse(&self.role_name.unwrap_or_default()));
        let expires_at = self.expires_at.map(|text| errors.check("expires_at", parse_timestamp(&text)));
        errors.finish(recipient.zip(roles).zip(role_name).map(|((recipient, roles), role_name)| CreateInvite {
            recipient,
            roles,
            role_name,
            expires_at: expires_at.flatten(),
        }))
    }
}

/// The invite that was created or renewed.
#[derive(Serialize, ToSchema)]
pub(crate) struct InviteCreated {
    #[serde(flatten)]
    invite: InviteBody,
    /// Account ID of the recipient if the invite is for a username; null if it is for an email address.
    #[schema(example = json!(null))]
    account_id: Option<String>,
}

impl From<Invited> for InviteCreated {
    fn from(invited: Invited) -> Self {
        Self { invite: invited.offer.into(), account_id: invited.account.map(|id| id.to_string()) }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InviteIdBody {
    /// ID of the invite.
    invite_id: String,
}

impl InviteIdBody {
    fn parse(self, errors: FieldViolations) -> Result<InviteId, Error> {
        let body = errors.finish(Some(self))?;
        InviteId::parse(&body.invite_id).ok_or(Error::NotFound(ResourceKind::Invite))
    }
}

/// List invites
///
/// Returns the pending invites of the team, newest first.
#[utoipa::path(get, path = "/team/{team_id}/invite", tag = "teams", params(PageParameters),
    responses((status = 200, body = inline(Listing<InviteBody>), description = "The pending invites.")))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let team = path.team()?;
    let read = async move |steward: Arc<Steward>, caller, page| steward.invites.list(&caller, team, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, InviteBody::from).await
}

/// Create an invite
///
/// Invites a person to become a member of the team. A pending invite to the same person is renewed. If email is
/// configured, an invite to an email address is sent by email.
#[utoipa::path(post, path = "/team/{team_id}/invite", tag = "teams", request_body = NewInvite,
    responses((status = 201, body = inline(Data<InviteCreated>), description = "The invite was created or renewed.")))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (team, command) = (path.team()?, body.ignoring_fields_of::<InviteBody>().read(NewInvite::parse)?);
    let invited = api.steward.invites.create(&caller.0, team, command).await?;
    let tag = ResourceTag::of(invited.offer.invite.revision, &InviteBody::from(invited.offer.clone()));
    Ok(response::tagged(tag, response::created(&Data { data: InviteCreated::from(invited) })))
}

/// Revoke an invite
///
/// The invite can no longer be accepted.
#[utoipa::path(delete, path = "/team/{team_id}/invite/{invite_id}", tag = "teams",
    responses((status = 200, body = Success, description = "The invite was revoked.")))]
pub(crate) async fn revoke(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (team, invite, when) = (path.team()?, path.invite()?, precondition::for_write(path.request())?);
    api.steward.invites.revoke(&caller.0, team, invite, &when).await?;
    Ok(response::ok(&Success { success: true }))
}

/// Accept an invite
///
/// The caller becomes a member of the team. An invite that is missing, expired, revoked or for another person is not
/// found.
#[utoipa::path(post, path = "/team/accept-invite", tag = "teams", request_body = InviteIdBody,
    responses((status = 200, body = inline(Data<Membership>), description = "The new membership.")))]
pub(crate) async fn accept(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let id = body.read(InviteIdBody::parse)?;
    let member = api.steward.invites.accept(&caller.0, id).await?;
    let accepted = response::ok(&Data { data: Membership::from(&member) });
    Ok(response::tagged(member::tag(member), accepted))
}

/// Decline an invite
///
/// The invite cannot be accepted afterwards. An invite that is missing, expired, revoked or for another person is not
/// found.
#[utoipa::path(post, path = "/team/decline-invite", tag = "teams", request_body = InviteIdBody,
    responses((status = 200, body = Success, description = "The invite was declined.")))]
pub(crate) async fn decline(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let id = body.read(InviteIdBody::parse)?;
    api.steward.invites.decline(&caller.0, id).await?;
    Ok(response::ok(&Success { success: true }))
}

/// List your invites
///
/// Returns the pending invites to the caller's username and, if it is verified, to the caller's email address, newest
/// first.
#[utoipa::path(get, path = "/invite", tag = "teams", params(PageParameters),
    responses((status = 200, body = inline(Listing<OwnInvite>), description = "The pending invites to the caller.")))]
pub(crate) async fn list_own(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.invites.list_own(&caller, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, OwnInvite::from).await
}
