//! Invites to teams (docs/contract.md#invites).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::administration::member::{Member, Membership};
use crate::list::PageParameters;
use crate::operation::operations;
use crate::response::Success;
use crate::values::{AccountId, InviteId, TeamId, Timestamp};

operations! {
    ROWS, "teams";

    /// List invites
    ///
    /// Returns the pending invites of the team, newest first.
    ListInvites Get "/team/{team_id}/invite", Reads Safe, at(Team), query(PageParameters),
        200(list Invite, "The pending invites."), command("invite list");

    /// Create an invite
    ///
    /// Invites a person to become a member of the team. A pending invite to the same person is renewed. If email is
    /// configured, an invite to an email address is sent by email.
    CreateInvite Post "/team/{team_id}/invite", Writes Keyed, at(Team), body(NewInvite),
        201(data CreatedInvite, "The invite was created or renewed."), shows(Invite),
        errors("already_member", "quota_exceeded"), command("invite create");

    /// Revoke an invite
    ///
    /// The invite can no longer be accepted.
    DeleteInvite Delete "/team/{team_id}/invite/{invite_id}", Writes Keyed, at(Team, Invite),
        200(Success, "The invite was revoked."), errors("precondition_failed"), command("invite delete");

    /// Accept an invite
    ///
    /// The caller becomes a member of the team. An invite that is missing, expired, revoked or for another person is not
    /// found.
    AcceptInvite Post "/team/accept-invite", Writes Keyed, body(InviteReference),
        200(data Membership, "The new membership."), shows(Member), ignores(),
        errors("not_found", "already_member", "quota_exceeded"), command("invite accept");

    /// Decline an invite
    ///
    /// The invite cannot be accepted afterwards. An invite that is missing, expired, revoked or for another person is not
    /// found.
    DeclineInvite Post "/team/decline-invite", Writes Keyed, body(InviteReference),
        200(Success, "The invite was declined."), deviates("declining an invite deletes it"), errors("not_found"),
        command("invite decline");

    /// List your invites
    ///
    /// Returns the pending invites to the caller's username and, if it is verified, to the caller's email address, newest
    /// first.
    ListOwnInvites Get "/invite", Reads Safe, query(PageParameters),
        200(list OwnInvite, "The pending invites to the caller."), command("invite list");
}

/// A pending invite.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Invite {
    /// Unique ID of the invite.
    pub id: InviteId,
    /// ID of the team that the invite is for.
    pub team_id: TeamId,
    /// Email address or username of the recipient.
    pub email_or_username: String,
    /// Comma-separated roles that the recipient gets in the team.
    pub roles: String,
    /// Label of the role that the recipient gets. It grants no permissions. If none is set, the name of the role, or
    /// `Custom`.
    pub role_name: String,
    /// When the invite was created or last renewed.
    pub created_at: Timestamp,
    /// When the invite expires.
    pub expires_at: Timestamp,
    /// How the invite reaches its recipient: `link` if no email is sent and the inviter passes on the
    /// link, or the state of the email: `queued`, `sent` or `failed`.
    #[schema(example = "sent")]
    pub delivery: Cow<'static, str>,
    /// URL of the page where the recipient accepts or declines the invite. Only present for callers who may invite. It
    /// grants nothing: only the recipient can accept the invite. On a service without a mail server, the inviter of an
    /// email address gets a URL that ends with a secret: one person can join with it, with any account.
    #[schema(example = "https://steward.example.com/auth/invite?invite=018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// An invite as its recipient sees it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OwnInvite {
    /// Unique ID of the invite.
    pub id: InviteId,
    /// ID of the team that the invite is for.
    pub team_id: TeamId,
    /// Name of the team.
    pub team_name: String,
    /// Slug of the team.
    pub team_slug: String,
    /// Email address or username of the caller to which the invite was sent.
    pub email_or_username: String,
    /// Comma-separated roles that the caller gets in the team.
    pub roles: String,
    /// Label of the role that the caller gets. It grants no permissions. If none is set, the name of the role, or
    /// `Custom`.
    pub role_name: String,
    /// When the invite was created or last renewed.
    pub created_at: Timestamp,
    /// When the invite expires.
    pub expires_at: Timestamp,
}

/// Values of a new invite. Exactly one of `email` and `username` is required.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"email": "ann@example.com", "roles": "developer", "role_name": "Developer"}))]
pub struct NewInvite {
    /// Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`. You
    /// can grant only permissions that you have.
    pub roles: String,
    /// Email address of the recipient. Send either `email` or `username`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Username of the recipient. Send either `email` or `username`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Label of the role: at most 64 characters. It grants no permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_name: Option<String>,
    /// When the invite expires: 7 days from now by default, at most 30 days from now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// The invite that was created or renewed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CreatedInvite {
    /// The invite.
    #[serde(flatten)]
    pub invite: Invite,
    /// Account ID of the recipient if the invite is for a username; null if it is for an email address.
    #[schema(example = json!(null))]
    pub account_id: Option<AccountId>,
}

/// The invite to accept or decline.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct InviteReference {
    /// ID of the invite.
    pub invite_id: String,
}
