//! Personal access tokens of the caller, and the introspection of tokens.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, List};

/// Operations of tokens.
#[derive(Debug, Clone)]
pub struct Tokens {
    client: Client,
}

impl Tokens {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Lists the personal access tokens of the caller, newest first.
    pub fn list(&self) -> List<PersonalToken> {
        List::new(self.client.clone(), &["auth", "pat"])
    }

    /// Creates a personal access token.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn create(&self, token: &NewPersonalToken) -> Result<CreatedPersonalToken, Error> {
        self.client.at(Method::POST, &["auth", "pat"]).json(token).idempotent().send().await?.data()
    }

    /// Revokes a personal access token. It stops working immediately.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn revoke(&self, token_id: &str) -> Result<(), Error> {
        self.client.at(Method::DELETE, &["auth", "pat", token_id]).idempotent().send().await?;
        Ok(())
    }

    /// Returns the metadata of an access token or refresh token (RFC 7662).
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn introspect(&self, token: &str) -> Result<Introspection, Error> {
        let request = self.client.at(Method::POST, &["auth", "introspect"]);
        request.json(&IntrospectedToken { token }).send().await?.json()
    }
}

#[derive(Serialize)]
struct IntrospectedToken<'a> {
    token: &'a str,
}

/// Values of a new personal access token.
#[derive(Debug, Clone, Serialize)]
pub struct NewPersonalToken {
    /// Display name: 1 to 100 characters.
    pub label: String,
    /// Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `key:read`. The token
    /// has them only if the caller has them too.
    pub roles: String,
    /// IDs of up to 100 teams. The token can access only these teams and their projects, and `projects`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<String>,
    /// IDs of up to 100 projects. The token can access only these projects, and `teams`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    /// When the token expires: in the future and at most 366 days from now.
    pub expires_at: DateTime<Utc>,
}

/// A personal access token, without its value.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PersonalToken {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub label: String,
    /// Comma-separated role names and permissions. They apply only if the person has them too.
    pub roles: String,
    /// IDs of the teams that the token can access. If `teams` and `projects` are both empty, the token can access all
    /// teams and projects of the person.
    pub teams: Vec<String>,
    /// IDs of the projects that the token can access in addition to those of `teams`.
    pub projects: Vec<String>,
    /// When the token was created.
    pub created_at: DateTime<Utc>,
    /// When the token expires.
    pub expires_at: DateTime<Utc>,
    /// When the token was last used, with a precision of one minute; `None` if it was never used.
    pub last_used: Option<DateTime<Utc>>,
    /// Prefix and last 4 characters of the value.
    pub hint: String,
}

/// A new personal access token, with its value.
#[derive(Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedPersonalToken {
    /// The token.
    #[serde(flatten)]
    pub token: PersonalToken,
    /// Secret value, which is sent as a bearer token. It is not shown again.
    pub value: String,
}

impl std::fmt::Debug for CreatedPersonalToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedPersonalToken").field("token", &self.token).finish_non_exhaustive()
    }
}

/// Metadata of a token. All members but `active` are `None` if the token is not active.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Introspection {
    /// Whether the token is valid and the caller may introspect it.
    pub active: bool,
    /// `Bearer` for an access token, or `refresh_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_type: Option<String>,
    /// Scopes, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Client that the token was issued to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Account ID of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub: Option<String>,
    /// Audience: DID of the project, or the URL of the service for a first-party token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aud: Option<String>,
    /// Issuer: the URL of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iss: Option<String>,
    /// When the token expires, in seconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exp: Option<i64>,
    /// When the token was issued, in seconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iat: Option<i64>,
}
