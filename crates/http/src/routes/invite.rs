//! Invites to teams (docs/contract.md#invites).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{Email, InviteId, InviteWithTeam, Recipient, RoleName, Username};
use steward_domain::policy::RoleSet;
use steward_domain::usecases::{CreateInvite, Invited, Steward, TeamInvite};

use super::member::{self, membership};
use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, parse_timestamp};
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListInvites => list;
        CreateInvite => create;
        DeleteInvite => revoke;
        ListOwnInvites => list_own;
        AcceptInvite => accept;
        DeclineInvite => decline;
    }
}

pub(crate) fn invite(TeamInvite { invite, delivery, link }: TeamInvite) -> wire::Invite {
    wire::Invite {
        id: invite.id.uuid().into(),
        team_id: invite.team_id.uuid().into(),
        email_or_username: invite.recipient.to_string(),
        roles: invite.roles.to_string(),
        role_name: invite.role_name.or_title_of(&invite.roles).to_owned(),
        created_at: invite.created_at.into(),
        expires_at: invite.expires_at.into(),
        delivery: delivery.as_str().into(),
        link,
    }
}

pub(crate) fn own_invite(found: InviteWithTeam) -> wire::OwnInvite {
    let invite = found.invite;
    wire::OwnInvite {
        id: invite.id.uuid().into(),
        team_id: invite.team_id.uuid().into(),
        team_name: found.team_name.to_string(),
        team_slug: found.team_slug.to_string(),
        email_or_username: invite.recipient.to_string(),
        roles: invite.roles.to_string(),
        role_name: invite.role_name.or_title_of(&invite.roles).to_owned(),
        created_at: invite.created_at.into(),
        expires_at: invite.expires_at.into(),
    }
}

fn parse_new_invite(body: wire::NewInvite, mut errors: FieldViolations) -> Result<CreateInvite, Error> {
    let recipient = match (&body.email, &body.username) {
        (Some(text), None) => errors.check("email", Email::parse(text)).map(Recipient::Email),
        (None, Some(text)) => errors.check("username", Username::parse(text)).map(Recipient::Username),
        _ => errors.check("email", Err("either `email` or `username` is required, but not both")),
    };
    let roles = errors.check("roles", RoleSet::parse(&body.roles));
    let role_name = errors.check("role_name", RoleName::parse(&body.role_name.unwrap_or_default()));
    let expires_at = errors.check_given("expires_at", body.expires_at.as_deref(), parse_timestamp);
    errors.finish(recipient.zip(roles).zip(role_name).map(|((recipient, roles), role_name)| CreateInvite {
        recipient,
        roles,
        role_name,
        expires_at,
    }))
}

pub(crate) fn created_invite(invited: Invited) -> wire::CreatedInvite {
    wire::CreatedInvite { invite: invite(invited.offer), account_id: invited.account.map(|id| id.uuid().into()) }
}

fn parse_invite_reference(body: wire::InviteReference, errors: FieldViolations) -> Result<InviteId, Error> {
    let body = errors.finish(Some(body))?;
    InviteId::parse(&body.invite_id).ok_or(Error::NotFound(ResourceKind::Invite))
}

pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let team = path.team()?;
    let read = async move |steward: Arc<Steward>, caller, page| steward.invites.list(&caller, team, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, invite).await
}

pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (team, command) = (path.team()?, body.read(parse_new_invite)?);
    let invited = api.steward.invites.create(&caller.0, team, command).await?;
    let tag = ResourceTag::of(invited.offer.invite.revision, &invite(invited.offer.clone()));
    Ok(response::tagged(tag, response::created(&wire::Data { data: created_invite(invited) })))
}

pub(crate) async fn revoke(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (team, invite, when) = (path.team()?, path.invite()?, precondition::for_write(path.request())?);
    api.steward.invites.revoke(&caller.0, team, invite, &when).await?;
    Ok(response::ok(&wire::Success { success: true }))
}

pub(crate) async fn accept(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let id = body.read(parse_invite_reference)?;
    let member = api.steward.invites.accept(&caller.0, id).await?;
    let accepted = response::ok(&wire::Data { data: membership(&member) });
    Ok(response::tagged(member::tag(member), accepted))
}

pub(crate) async fn decline(
    api: web::Data<Api>,
    caller: Authenticated,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let id = body.read(parse_invite_reference)?;
    api.steward.invites.decline(&caller.0, id).await?;
    Ok(response::ok(&wire::Success { success: true }))
}

pub(crate) async fn list_own(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let read = async move |steward: Arc<Steward>, caller, page| steward.invites.list_own(&caller, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, own_invite).await
}
