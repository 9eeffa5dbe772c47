//! Projects.

use chrono::{DateTime, NaiveDate, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Client, Error, List, Request, Versioned, slugs};

/// Operations of projects.
#[derive(Debug, Clone)]
pub struct Projects {
    client: Client,
    if_match: Option<String>,
}

impl Projects {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, if_match: None }
    }

    /// Changes a project only if it still has this `ETag`.
    #[must_use]
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        Self { if_match: Some(etag.into()), ..self }
    }

    /// Lists the projects of all of the caller's teams, newest first. An API key lists only its own project.
    pub fn list(&self) -> List<ListedProject> {
        List::new(self.client.clone(), &["project"])
    }

    /// Returns a project with its quotas.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get(&self, project_id: &str) -> Result<Versioned<ProjectDetails>, Error> {
        self.client.at(Method::GET, &["project", project_id]).send().await?.versioned()
    }

    /// Returns what everyone may read of a project.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn profile(&self, project_id: &str) -> Result<PublicProject, Error> {
        self.client.at(Method::GET, &["project", project_id, "profile"]).send().await?.data()
    }

    /// Returns the number of requests to a project on each of the last days, up to today. `days`: 1 to 365.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn request_stats(&self, project_id: &str, days: u16) -> Result<RequestStats, Error> {
        let request = self.client.at(Method::GET, &["project", project_id, "request", "stats"]);
        request.query("days", days).send().await?.json()
    }

    /// Creates a project in a team.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn create(&self, project: &NewProject) -> Result<CreatedProject, Error> {
        self.client.at(Method::POST, &["project"]).json(project).idempotent().send().await?.data()
    }

    /// Updates a project.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn update(&self, project_id: &str, changes: &ProjectChanges) -> Result<Versioned<Project>, Error> {
        self.change(Method::PATCH, project_id).json(changes).send().await?.versioned()
    }

    /// Deletes a project and all its data.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete(&self, project_id: &str) -> Result<(), Error> {
        self.change(Method::DELETE, project_id).send().await?;
        Ok(())
    }

    /// Returns whether a slug is neither taken nor reserved.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn is_slug_available(&self, slug: &str) -> Result<bool, Error> {
        slugs::is_available(&self.client, "project", slug).await
    }

    fn change(&self, method: Method, project_id: &str) -> Request {
        self.client.at(method, &["project", project_id]).idempotent().if_unchanged(self.if_match.as_deref())
    }
}

/// Statistics of the requests to a project. Days are in UTC.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RequestStats {
    /// Number of requests on all days of `series`.
    pub total: u64,
    /// Number of requests today.
    pub today: u64,
    /// Requests of each day, oldest first.
    pub series: Vec<DailyRequests>,
}

/// Requests of one day.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DailyRequests {
    /// Day in UTC.
    pub date: NaiveDate,
    /// Number of requests on this day.
    pub requests: u64,
}

/// Values of a new project.
#[derive(Debug, Clone, Default, Serialize)]
pub struct NewProject {
    /// Display name: 1 to 100 characters.
    pub name: String,
    /// ID of the team that owns the project.
    pub team_id: String,
    /// URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens. `None` generates
    /// one from the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
}

/// Changes to a project. `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ProjectChanges {
    /// New display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New URL-friendly name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// New website; `Some(None)` removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website: Option<Option<String>>,
    /// Changes that are merged into the public profile (RFC 7396): null removes a member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Map<String, Value>>,
}

/// A project and its team, as listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListedProject {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// Images of the public profile.
    pub profile: ProjectAppearance,
    /// ID of the team that owns the project.
    pub team_id: String,
    /// Name of the team.
    pub team_name: String,
    /// Slug of the team.
    pub team_slug: String,
    /// When the project was created.
    pub created_at: DateTime<Utc>,
}

/// Images of a project's public profile.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectAppearance {
    /// URL of the icon; `None` if the project has none.
    pub icon_url: Option<String>,
    /// Appearance of the project's pages.
    pub styles: ProjectStyles,
}

/// Appearance of a project's pages.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectStyles {
    /// URL of the background; `None` if the project has none.
    pub background_url: Option<String>,
}

/// A new project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedProject {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// When the project was created.
    pub created_at: DateTime<Utc>,
}

/// A project after a change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Project {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// Website; `None` if the project has none.
    pub website: Option<String>,
    /// Public profile.
    pub profile: Map<String, Value>,
    /// When the project last changed.
    pub updated_at: DateTime<Utc>,
}

/// A project with its quotas.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectDetails {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// Website; `None` if the project has none.
    pub website: Option<String>,
    /// Public profile.
    pub profile: Map<String, Value>,
    /// ID of the team that owns the project.
    pub team_id: String,
    /// When the project was created.
    pub created_at: DateTime<Utc>,
    /// When the project or its settings last changed.
    pub updated_at: DateTime<Utc>,
    /// Usage and limits of its quotas; `None` with a public API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ProjectUsage>,
}

/// Usage and limits of a project's quotas.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectUsage {
    /// Number of items of all users.
    pub items: QuotaUsage,
    /// Total size of these items, in bytes of JSON.
    pub bytes: QuotaUsage,
    /// Number of API keys.
    pub keys: QuotaUsage,
    /// Number of webhooks.
    pub webhooks: QuotaUsage,
    /// Number of schema versions.
    pub schema_versions: QuotaUsage,
}

/// Usage and limit of one quota.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuotaUsage {
    /// Current number or size.
    pub used: u64,
    /// Maximum number or size. The operator of the service configures it.
    pub limit: u64,
}

/// What everyone may read of a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PublicProject {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// Website; `None` if the project has none.
    pub website: Option<String>,
    /// Public profile.
    pub profile: Map<String, Value>,
    /// When the project was created.
    pub created_at: DateTime<Utc>,
    /// Public sign-in settings.
    pub auth: PublicSignIn,
}

/// Public sign-in settings of a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PublicSignIn {
    /// URIs that may receive authorization codes. If the list is empty, only loopback URIs may.
    pub redirect_uris: Vec<String>,
}
