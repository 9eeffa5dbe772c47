//! The caller: its credential and its account.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error};

/// Operations of the caller's own account and credential.
#[derive(Debug, Clone)]
pub struct Account {
    client: Client,
}

impl Account {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Returns the identity and the permissions of the credential. It works with every kind of credential.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn credential(&self) -> Result<CurrentCredential, Error> {
        self.client.request(Method::GET, "/auth/token").send().await?.data()
    }

    /// Returns the person who signed in. Only for access tokens.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn user_info(&self) -> Result<UserInfo, Error> {
        self.client.request(Method::GET, "/auth/userinfo").send().await?.json()
    }
}

/// Identity and permissions of a credential.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CurrentCredential {
    /// `account` (access token of a person), `personal_token`, `key` (API key) or `user` (access token of a person for
    /// one project).
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of the account, personal access token, API key or project user.
    pub id: String,
    /// Account ID of the person. Only for `account` and `personal_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// Display name. Only for `personal_token` and `key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// ID of the team that owns the project. Only for `key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// ID of the only project that the credential can access. Only for `key` and `user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<String>,
    /// IDs of the teams that the token is limited to. Only for `personal_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teams: Option<Vec<String>>,
    /// IDs of the projects that the token is limited to, in addition to those of `teams`. Only for `personal_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<String>>,
    /// Permissions. Only for `personal_token` and `key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Scopes, separated by spaces. Only for `user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// When the credential expires; `None` if it never expires. Only for `personal_token` and `key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}

/// Claims about a person that the scopes of the token give access to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UserInfo {
    /// ID of the account, as in the `sub` claim of its tokens.
    pub sub: String,
    /// Same value as `sub`.
    pub id: String,
    /// Name of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether the person proved that the email address is theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_verified: Option<bool>,
    /// Username.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
}
