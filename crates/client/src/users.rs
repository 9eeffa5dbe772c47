//! Users of a project.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Client, Error, List, Request, Versioned};

/// Timeout of an export, which is as large as the data of the user.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(600);

/// Operations of the users of a project.
#[derive(Debug, Clone)]
pub struct Users {
    client: Client,
    project_id: String,
    if_match: Option<String>,
}

impl Users {
    pub(crate) fn new(client: Client, project_id: &str) -> Self {
        Self { client, project_id: project_id.to_owned(), if_match: None }
    }

    /// Changes a user, or signs them out, only if the user still has this `ETag`.
    #[must_use]
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        Self { if_match: Some(etag.into()), ..self }
    }

    /// Lists the users, newest first. `status` and `q` are filters.
    pub fn list(&self) -> List<ProjectUser> {
        List::new(self.client.clone(), &["project", self.project_id.as_str(), "user"])
    }

    /// Returns a user.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get(&self, user_id: &str) -> Result<Versioned<ProjectUser>, Error> {
        self.at(Method::GET, user_id).send().await?.versioned()
    }

    /// Updates what the project stores about a user, or blocks or unblocks the user.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn update(&self, user_id: &str, changes: &UserChanges) -> Result<Versioned<ProjectUser>, Error> {
        self.change(Method::PATCH, user_id).json(changes).send().await?.versioned()
    }

    /// Deletes a user with all data that the project stores about them.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete(&self, user_id: &str) -> Result<(), Error> {
        self.change(Method::DELETE, user_id).send().await?;
        Ok(())
    }

    /// Returns all data that the project stores about a user.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn export(&self, user_id: &str) -> Result<Map<String, Value>, Error> {
        let segments = ["project", self.project_id.as_str(), "user", user_id, "export"];
        self.client.at(Method::GET, &segments).timeout(EXPORT_TIMEOUT).send().await?.json()
    }

    /// Lists the active sign-ins of a user to the project, newest first: at most 1,000.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn sessions(&self, user_id: &str) -> Result<Vec<UserSession>, Error> {
        self.sessions_of(Method::GET, user_id).send().await?.data()
    }

    /// Ends all sign-ins of a user to the project. The user can sign in again.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn sign_out(&self, user_id: &str) -> Result<(), Error> {
        self.guarded(self.sessions_of(Method::DELETE, user_id)).send().await?;
        Ok(())
    }

    /// Returns the number of users, and how many were active on each of the last days: 1 to 365.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn stats(&self, days: u16) -> Result<UserStats, Error> {
        let segments = ["project", self.project_id.as_str(), "user", "stats"];
        self.client.at(Method::GET, &segments).query("days", days).send().await?.json()
    }

    /// Connects the person of an access token to the project. The token is for this project or for the service.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn connect(&self, token: &str) -> Result<ConnectedUser, Error> {
        let segments = ["project", self.project_id.as_str(), "user", "connect"];
        self.client.at(Method::POST, &segments).json(&ConnectBody { token }).send().await?.json()
    }

    fn at(&self, method: Method, user_id: &str) -> Request {
        self.client.at(method, &["project", self.project_id.as_str(), "user", user_id])
    }

    fn sessions_of(&self, method: Method, user_id: &str) -> Request {
        self.client.at(method, &["project", self.project_id.as_str(), "user", user_id, "session"])
    }

    fn change(&self, method: Method, user_id: &str) -> Request {
        self.guarded(self.at(method, user_id))
    }

    fn guarded(&self, request: Request) -> Request {
        let request = request.idempotent();
        match &self.if_match {
            Some(etag) => request.if_match(etag),
            None => request,
        }
    }
}

#[derive(Serialize)]
struct ConnectBody<'a> {
    token: &'a str,
}

/// Changes to a user. `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, Serialize)]
pub struct UserChanges {
    /// Merged into the stored data about the user (RFC 7396): null removes a member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// `blocked` blocks the user, `connected` unblocks them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// A user of a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectUser {
    /// Unique ID of the user in the project. It differs from the account ID.
    pub id: String,
    /// DID of the user's account.
    pub user_did: String,
    /// Base URL of the service that stores the user's data.
    pub pds_url: String,
    /// `connected`, `disconnected` (the user left the project) or `blocked` (by the project).
    pub status: String,
    /// Data that the project stores about the user.
    pub meta: Map<String, Value>,
    /// Name and username of the account, if they are set.
    pub profile: Map<String, Value>,
    /// Current email address of the account. `None` unless the user granted the scope `email` to the project.
    #[serde(default)]
    pub email: Option<String>,
    /// When the user last used the project, with a precision of 15 minutes.
    pub last_seen_at: DateTime<Utc>,
    /// When the user first connected to the project.
    pub created_at: DateTime<Utc>,
    /// When the deletion of the user started; `None` if it has not. It continues in the background.
    #[serde(default)]
    pub deletion_started_at: Option<DateTime<Utc>>,
}

/// A sign-in of a user to a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UserSession {
    /// Unique ID.
    pub id: String,
    /// Scopes of the tokens.
    pub scopes: Vec<String>,
    /// When the person entered their password.
    pub signed_in_at: DateTime<Utc>,
    /// When the project received its tokens.
    pub created_at: DateTime<Utc>,
}

/// Statistics of a project's users. Days are in UTC.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UserStats {
    /// Number of users of the project.
    pub total: u64,
    /// Number of users who were active today.
    pub dau: u64,
    /// Number of users who were active in the last 7 days, including today.
    pub wau: u64,
    /// Number of users who were active in the last 30 days, including today.
    pub mau: u64,
    /// Activity of each day, oldest first.
    pub series: Vec<ActiveUsers>,
}

/// Activity of one day.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActiveUsers {
    /// Day in UTC.
    pub date: NaiveDate,
    /// Number of users who were active on this day.
    pub active_users: u64,
}

/// A user who is connected to a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConnectedUser {
    /// DID of the user's account.
    pub user_did: String,
    /// Base URL of the service that stores the user's data.
    pub pds_url: String,
}
