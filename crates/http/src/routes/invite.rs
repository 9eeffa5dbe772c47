//! Invites to teams (contract 8).

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{Email, InviteId, InviteOfTeam, Recipient, RoleName, Username};
use steward_domain::policy::RoleSet;
use steward_domain::usecases::{CreateInvite, Invited, Steward, TeamInvite};
use utoipa::ToSchema;

use super::member::Membership;
use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data, Listing, Success, moment};
use crate::body::{JsonBody, parse_timestamp};
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query};
use crate::streamed;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/team/{team_id}/invite").get(list).on(Method::POST, create).mount(routes);
    at("/team/{team_id}/invite/{invite_id}").on(Method::DELETE, revoke).mount(routes);
    at("/invite").get(list_own).mount(routes);
    at("/team/accept-invite").on(Method::POST, accept).mount(routes);
    at("/team/decline-invite").on(Method::POST, decline).mount(routes);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct InviteListed {
    id: String,
    team_id: String,
    email_or_username: String,
    roles: String,
    role_name: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    expires_at: String,
    /// How it gets to whom it names, as far as is known: `link` (hand on the link), or by a letter that is `queued`,
    /// `sent` or `failed`.
    delivery: &'static str,
    /// The page where it is answered, for those who may invite. It grants nothing: only the account that the invite names
    /// can take it.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

impl From<TeamInvite> for InviteListed {
    fn from(TeamInvite { invite, delivery, link }: TeamInvite) -> Self {
        Self {
            id: invite.id.to_string(),
            team_id: invite.team_id.to_string(),
            email_or_username: invite.recipient.to_string(),
            roles: invite.roles.to_string(),
            role_name: invite.role_name.to_string(),
            created_at: moment(invite.created_at),
            expires_at: moment(invite.expires_at),
            delivery: delivery.as_str(),
            link,
        }
    }
}

/// An invite as whom it names sees it.
#[derive(Serialize, ToSchema)]
pub(crate) struct OwnInvite {
    id: String,
    team_id: String,
    team_name: String,
    team_slug: String,
    /// By which of the caller's names it was sent.
    email_or_username: String,
    roles: String,
    role_name: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    expires_at: String,
}

impl From<InviteOfTeam> for OwnInvite {
    fn from(found: InviteOfTeam) -> Self {
        let invite = found.invite;
        Self {
            id: invite.id.to_string(),
            team_id: invite.team_id.to_string(),
            team_name: found.team_name.to_string(),
            team_slug: found.team_slug.to_string(),
            email_or_username: invite.recipient.to_string(),
            roles: invite.roles.to_string(),
            role_name: invite.role_name.to_string(),
            created_at: moment(invite.created_at),
            expires_at: moment(invite.expires_at),
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateInviteBody {
    /// Comma-separated role names and permissions.
    roles: String,
    /// Either the email or the username.
    email: Option<String>,
    username: Option<String>,
    role_name: Option<String>,
    /// In 7 days unless given; at most 30 days away.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

impl CreateInviteBody {
    fn parse(self, mut errors: FieldViolations) -> Result<CreateInvite, Error> {
        let recipient = match (&self.email, &self.username) {
            (Some(text), None) => errors.note("email", Email::parse(text)).map(Recipient::Email),
            (None, Some(text)) => errors.note("username", Username::parse(text)).map(Recipient::Username),
            _ => errors.note("email", Err("send either an email or a username")),
        };
        let roles = errors.note("roles", RoleSet::parse(&self.roles));
        let role_name = errors.note("role_name", RoleName::parse(&self.role_name.unwrap_or_default()));
        let expires_at = self.expires_at.map(|text| errors.note("expires_at", parse_timestamp(&text)));
        errors.or(recipient.zip(roles).zip(role_name).map(|((recipient, roles), role_name)| CreateInvite {
            recipient,
            roles,
            role_name,
            expires_at: expires_at.flatten(),
        }))
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct InviteCreated {
    #[serde(flatten)]
    invite: InviteListed,
    /// The account that a username names; null for an email.
    account_id: Option<String>,
}

impl From<Invited> for InviteCreated {
    fn from(invited: Invited) -> Self {
        Self { invite: invited.offer.into(), account_id: invited.account.map(|id| id.to_string()) }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerInviteBody {
    invite_id: String,
}

impl AnswerInviteBody {
    fn parse(self, errors: FieldViolations) -> Result<InviteId, Error> {
        let body = errors.or(Some(self))?;
        InviteId::parse(&body.invite_id).ok_or(Error::NotFound(ResourceKind::Invite))
    }
}

/// List a team's pending invites
#[utoipa::path(get, path = "/team/{team_id}/invite", operation_id = "listInvites", tag = "teams",
    params(("team_id" = String, Path), PageParameters),
    responses((status = 200, body = inline(Listing<InviteListed>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let team = named.team()?;
    let read = async move |steward: Arc<Steward>, caller, page| steward.invites.list(&caller, team, &page).await;
    streamed::list(&api, &caller, named.request(), query.page()?, read, InviteListed::from).await
}

/// TeamInvite membership; a pending offer to the same person is renewed
#[utoipa::path(post, path = "/team/{team_id}/invite", operation_id = "createInvite", tag = "teams",
    params(("team_id" = String, Path)), request_body = CreateInviteBody,
    responses((status = 201, body = inline(Data<InviteCreated>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (team, command) = (named.team()?, body.of_entity::<InviteListed>().read(CreateInviteBody::parse)?);
    let invited = api.steward.invites.create(&caller.0, team, command).await?;
    Ok(answer::created(&Data { data: InviteCreated::from(invited) }))
}

/// Withdraw an offer
#[utoipa::path(delete, path = "/team/{team_id}/invite/{invite_id}", operation_id = "deleteInvite", tag = "teams",
    params(("team_id" = String, Path), ("invite_id" = String, Path)),
    responses((status = 200, body = Success), (status = 409, body = ErrorBody)))]
pub(crate) async fn revoke(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.invites.revoke(&caller.0, named.team()?, named.invite()?).await?;
    Ok(answer::ok(&Success { success: true }))
}

/// Take an offer: the caller becomes a member
#[utoipa::path(post, path = "/team/accept-invite", operation_id = "acceptInvite", tag = "teams",
    request_body = AnswerInviteBody,
    responses((status = 200, body = inline(Data<Membership>)), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn accept(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let id = body.read(AnswerInviteBody::parse)?;
    let member = api.steward.invites.accept(&caller.0, id).await?;
    Ok(answer::ok(&Data { data: Membership::from(member) }))
}

/// Turn an offer down
#[utoipa::path(post, path = "/team/decline-invite", operation_id = "declineInvite", tag = "teams",
    request_body = AnswerInviteBody,
    responses((status = 200, body = Success), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn decline(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let id = body.read(AnswerInviteBody::parse)?;
    api.steward.invites.decline(&caller.0, id).await?;
    Ok(answer::ok(&Success { success: true }))
}

/// List the offers that wait for the caller, newest first
///
/// Those that name the caller's username, or their email once it is verified.
#[utoipa::path(get, path = "/invite", operation_id = "listOwnInvites", tag = "teams", params(PageParameters),
    responses((status = 200, body = inline(Listing<OwnInvite>))))]
pub(crate) async fn list_own(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.invites.list_own(&caller, &page).await;
    streamed::list(&api, &caller, named.request(), query.page()?, read, OwnInvite::from).await
}
