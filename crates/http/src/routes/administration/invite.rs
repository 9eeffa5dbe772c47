//! Invites to teams (docs/contract.md#invites).

use steward_api as wire;
use steward_domain::administration::{CreateInvite, InviteWithTeam, Invited, Recipient, TeamInvite};
use steward_domain::identity::{Email, Username};
use steward_domain::kernel::error::{Error, FieldViolations, ResourceKind};
use steward_domain::kernel::policy::RoleSet;
use steward_domain::kernel::{InviteId, RoleName};

use crate::extract::body::parse_timestamp;
use crate::route::serve;
use crate::routes::administration::member::{self, membership};
use crate::serve::{Call, Outcome, Tag};

serve! {
    ListInvites => list;
    CreateInvite => create;
    DeleteInvite => revoke;
    ListOwnInvites => list_own;
    AcceptInvite => accept;
    DeclineInvite => decline;
}

fn invite(TeamInvite { invite, delivery, link, .. }: TeamInvite) -> wire::Invite {
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

fn own_invite(found: InviteWithTeam) -> wire::OwnInvite {
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
    let command = |((recipient, roles), role_name)| CreateInvite { recipient, roles, role_name, expires_at };
    errors.finish(recipient.zip(roles).zip(role_name).map(command))
}

fn parse_invite_reference(body: wire::InviteReference, errors: FieldViolations) -> Result<InviteId, Error> {
    let body = errors.finish(Some(body))?;
    InviteId::parse(&body.invite_id).ok_or(Error::NotFound(ResourceKind::Invite))
}

async fn list(call: Call<wire::ListInvites>) -> Outcome<wire::ListInvites> {
    let team = call.path;
    call.list(invite, async move |steward, caller, page| steward.invites.list(&caller, team, &page).await).await
}

async fn create(call: Call<wire::CreateInvite>) -> Outcome<wire::CreateInvite> {
    let command = call.body()?.read(parse_new_invite)?;
    let Invited { offer, account } = call.api.steward.invites.create(&call.caller, call.path, command).await?;
    let (revision, invite) = (offer.invite.revision, invite(offer));
    let account_id = account.map(|id| id.uuid().into());
    call.about(Tag::of(revision, &invite), wire::CreatedInvite { invite, account_id })
}

async fn revoke(call: Call<wire::DeleteInvite>) -> Outcome<wire::DeleteInvite> {
    let (team, invite) = call.path;
    call.api.steward.invites.revoke(&call.caller, team, invite, call.when()).await?;
    call.done()
}

async fn accept(call: Call<wire::AcceptInvite>) -> Outcome<wire::AcceptInvite> {
    let id = call.body()?.read(parse_invite_reference)?;
    let member = call.api.steward.invites.accept(&call.caller, id, None).await?;
    let body = membership(&member);
    call.about(member::tag(member), body)
}

async fn decline(call: Call<wire::DeclineInvite>) -> Outcome<wire::DeclineInvite> {
    let id = call.body()?.read(parse_invite_reference)?;
    call.api.steward.invites.decline(&call.caller, id).await?;
    call.done()
}

async fn list_own(call: Call<wire::ListOwnInvites>) -> Outcome<wire::ListOwnInvites> {
    call.list(own_invite, async move |steward, caller, page| steward.invites.list_own(&caller, &page).await).await
}
