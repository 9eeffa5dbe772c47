//! Projects that a person granted access to, with a token of the person for the project.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Client, Error};

/// Exports contain all items of a person and are read in one response.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Operations of the project of the token. They require an access token that the project received.
#[derive(Debug, Clone)]
pub struct Apps {
    client: Client,
}

impl Apps {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Returns the project, and the caller as its user.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get(&self, project_id: &str) -> Result<App, Error> {
        self.client.at(Method::GET, &["account", "apps", project_id]).send().await?.data()
    }

    /// Disconnects the caller from the project and revokes the caller's tokens for it. With `erase`, the caller's items
    /// in the project are deleted first.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn leave(&self, project_id: &str, erase: bool) -> Result<(), Error> {
        let request = self.client.at(Method::DELETE, &["account", "apps", project_id]);
        let request = if erase { request.query("erase", true) } else { request };
        request.send().await?;
        Ok(())
    }

    /// Returns all data that the project stores about the caller.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn export(&self, project_id: &str) -> Result<Map<String, Value>, Error> {
        let request = self.client.at(Method::GET, &["account", "apps", project_id, "export"]);
        request.timeout(EXPORT_TIMEOUT).send().await?.json()
    }
}

/// A project, and the caller as its user.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct App {
    /// Unique ID of the project.
    pub id: String,
    /// Display name of the project.
    pub name: String,
    /// URL-friendly name of the project, unique in the service.
    pub slug: String,
    /// Website of the project.
    pub website: Option<String>,
    /// Public profile of the project, with the URLs of its images.
    pub profile: Map<String, Value>,
    /// ID of the caller as a user of the project. It differs from the account ID.
    pub user_id: String,
    /// DID of the caller's account.
    pub user_did: String,
    /// Base URL of the service that stores the caller's data.
    pub pds_url: String,
    /// `connected` or `disconnected`.
    pub status: String,
    /// Scopes of the token, separated by spaces.
    pub scope: String,
    /// When the caller first connected to the project.
    pub created_at: DateTime<Utc>,
    /// When the caller last used the project, with a precision of 15 minutes.
    pub last_seen_at: DateTime<Utc>,
}
