//! Invites to teams: those that a team sent, and those that the caller received.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, List, Membership};

/// Operations of the invites of a team.
#[derive(Debug, Clone)]
pub struct Invites {
    client: Client,
    team_id: String,
}

impl Invites {
    pub(crate) fn new(client: Client, team_id: &str) -> Self {
        Self { client, team_id: team_id.to_owned() }
    }

    /// Lists the pending invites, newest first.
    pub fn list(&self) -> List<Invite> {
        List::new(self.client.clone(), &["team", self.team_id.as_str(), "invite"])
    }

    /// Creates an invite, or renews the pending one for the same recipient.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn create(&self, invite: &NewInvite) -> Result<CreatedInvite, Error> {
        let request = self.client.at(Method::POST, &["team", self.team_id.as_str(), "invite"]);
        request.json(invite).idempotent().send().await?.data()
    }

    /// Revokes an invite.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete(&self, invite_id: &str) -> Result<(), Error> {
        let request = self.client.at(Method::DELETE, &["team", self.team_id.as_str(), "invite", invite_id]);
        request.idempotent().send().await?;
        Ok(())
    }
}

/// Operations of the invites that the caller received.
#[derive(Debug, Clone)]
pub struct OwnInvites {
    client: Client,
}

impl OwnInvites {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Lists the pending invites, newest first.
    pub fn list(&self) -> List<OwnInvite> {
        List::new(self.client.clone(), &["invite"])
    }

    /// Accepts an invite.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn accept(&self, invite_id: &str) -> Result<Membership, Error> {
        let request = self.client.at(Method::POST, &["team", "accept-invite"]);
        request.json(&InviteId { invite_id }).idempotent().send().await?.data()
    }

    /// Declines an invite.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn decline(&self, invite_id: &str) -> Result<(), Error> {
        let request = self.client.at(Method::POST, &["team", "decline-invite"]);
        request.json(&InviteId { invite_id }).idempotent().send().await?;
        Ok(())
    }
}

#[derive(Serialize)]
struct InviteId<'a> {
    invite_id: &'a str,
}

/// Values of a new invite. Set either `email` or `username`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct NewInvite {
    /// Email address of the recipient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Username of the recipient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`.
    pub roles: String,
    /// Label of the role: at most 64 characters. It grants no permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_name: Option<String>,
    /// When the invite expires: in 7 days by default, and in at most 30 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}

/// A pending invite of a team.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Invite {
    /// Unique ID.
    pub id: String,
    /// ID of the team.
    pub team_id: String,
    /// Email address or username of the recipient.
    pub email_or_username: String,
    /// Comma-separated role names and permissions.
    pub roles: String,
    /// Label of the role, for display.
    pub role_name: String,
    /// When the invite was created or last renewed.
    pub created_at: DateTime<Utc>,
    /// When the invite expires.
    pub expires_at: DateTime<Utc>,
    /// How the invite reaches its recipient: `link` if the inviter passes on the link, or the state of the email:
    /// `queued`, `sent` or `failed`.
    pub delivery: String,
    /// URL of the page where the recipient accepts or declines the invite. Only for callers who may invite.
    pub link: Option<String>,
}

/// An invite that was created or renewed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedInvite {
    /// The invite.
    #[serde(flatten)]
    pub invite: Invite,
    /// Account ID of the recipient if the invite is for a username.
    pub account_id: Option<String>,
}

/// An invite, as its recipient sees it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OwnInvite {
    /// Unique ID.
    pub id: String,
    /// ID of the team.
    pub team_id: String,
    /// Name of the team.
    pub team_name: String,
    /// Slug of the team.
    pub team_slug: String,
    /// Email address or username of the caller to which the invite was sent.
    pub email_or_username: String,
    /// Comma-separated roles that the caller gets.
    pub roles: String,
    /// Label of the role, for display.
    pub role_name: String,
    /// When the invite was created or last renewed.
    pub created_at: DateTime<Utc>,
    /// When the invite expires.
    pub expires_at: DateTime<Utc>,
}
