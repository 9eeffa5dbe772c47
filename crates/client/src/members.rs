//! Members of a team.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, List, Request};

/// Operations of the members of a team.
#[derive(Debug, Clone)]
pub struct Members {
    client: Client,
    team_id: String,
    if_match: Option<String>,
}

impl Members {
    pub(crate) fn new(client: Client, team_id: &str) -> Self {
        Self { client, team_id: team_id.to_owned(), if_match: None }
    }

    /// Changes a member only if it still has this `ETag`.
    #[must_use]
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        Self { if_match: Some(etag.into()), ..self }
    }

    /// Lists the members, oldest first.
    pub fn list(&self) -> List<Member> {
        List::new(self.client.clone(), &["team", self.team_id.as_str(), "member"])
    }

    /// Updates a member. The role `owner` makes the member an owner of the team.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn update(&self, account_id: &str, changes: &MemberChanges) -> Result<UpdatedMember, Error> {
        self.change(Method::PATCH, account_id).json(changes).send().await?.json()
    }

    /// Removes a member.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn remove(&self, account_id: &str) -> Result<AffectedResources, Error> {
        self.change(Method::DELETE, account_id).send().await?.json()
    }

    fn change(&self, method: Method, account_id: &str) -> Request {
        let request = self.client.at(method, &["team", self.team_id.as_str(), "member", account_id]).idempotent();
        match &self.if_match {
            Some(etag) => request.if_match(etag),
            None => request,
        }
    }
}

/// Changes to a member. `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MemberChanges {
    /// Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<String>,
    /// Label of the role: at most 64 characters. It grants no permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_name: Option<String>,
}

/// A member of a team.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Member {
    /// Account ID.
    pub account_id: String,
    /// Comma-separated role names and permissions.
    pub roles: String,
    /// Label of the role, for display.
    pub role_name: String,
    /// When the account became a member.
    pub created_at: DateTime<Utc>,
    /// Name of the person. `None` without a name, and for API keys, which do not see who the members are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Public username. `None` without one, and for API keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Email address. `None` for API keys, and while the account is being deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// Membership of an account in a team.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Membership {
    /// ID of the team.
    pub team_id: String,
    /// Account ID.
    pub account_id: String,
    /// Comma-separated role names and permissions.
    pub roles: String,
    /// Label of the role, for display.
    pub role_name: String,
}

/// A member after an update.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UpdatedMember {
    /// The membership.
    pub data: Membership,
    /// What depended on permissions that the member lost.
    #[serde(flatten)]
    pub affected: AffectedResources,
}

/// Resources that depend on permissions that a member lost.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AffectedResources {
    /// API keys with a value that the member knows. They continue to work: rotate them.
    pub affected_keys: Vec<AffectedKey>,
    /// Pending invites of the member. They are revoked.
    pub affected_invites: Vec<AffectedInvite>,
    /// Webhooks that the member authorized. They are paused.
    pub affected_webhooks: Vec<AffectedWebhook>,
}

/// An API key that a former member may know.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AffectedKey {
    /// ID of the API key.
    pub id: String,
    /// ID of the key's project.
    pub project_id: String,
    /// Display name.
    pub label: String,
}

/// An invite that is revoked.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AffectedInvite {
    /// ID of the invite.
    pub id: String,
    /// Comma-separated roles of the invite.
    pub roles: String,
}

/// A webhook that is paused.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AffectedWebhook {
    /// ID of the webhook.
    pub id: String,
    /// ID of the webhook's project; `None` if the webhook belongs to the team.
    pub project_id: Option<String>,
}
