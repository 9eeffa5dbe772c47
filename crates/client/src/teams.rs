//! Teams.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, List, Request, Versioned, slugs};

/// Operations of teams.
#[derive(Debug, Clone)]
pub struct Teams {
    client: Client,
    if_match: Option<String>,
}

impl Teams {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, if_match: None }
    }

    /// Changes a team only if it still has this `ETag`.
    #[must_use]
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        Self { if_match: Some(etag.into()), ..self }
    }

    /// Lists the teams of the caller, oldest first.
    pub fn list(&self) -> List<ListedTeam> {
        List::new(self.client.clone(), &["team"])
    }

    /// Returns a team.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get(&self, team_id: &str) -> Result<Versioned<TeamDetails>, Error> {
        self.client.at(Method::GET, &["team", team_id]).send().await?.versioned()
    }

    /// Creates a team. The caller becomes its owner.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn create(&self, team: &NewTeam) -> Result<CreatedTeam, Error> {
        self.client.at(Method::POST, &["team"]).json(team).idempotent().send().await?.data()
    }

    /// Updates a team.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn update(&self, team_id: &str, changes: &TeamChanges) -> Result<Versioned<Team>, Error> {
        self.change(Method::PATCH, team_id).json(changes).send().await?.versioned()
    }

    /// Deletes a team. It must not own projects.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete(&self, team_id: &str) -> Result<(), Error> {
        self.change(Method::DELETE, team_id).send().await?;
        Ok(())
    }

    /// Returns whether a slug is neither taken nor reserved.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn is_slug_available(&self, slug: &str) -> Result<bool, Error> {
        slugs::is_available(&self.client, "team", slug).await
    }

    fn change(&self, method: Method, team_id: &str) -> Request {
        self.client.at(method, &["team", team_id]).idempotent().if_unchanged(self.if_match.as_deref())
    }
}

/// Values of a new team.
#[derive(Debug, Clone, Serialize)]
pub struct NewTeam {
    /// Display name: 1 to 100 characters.
    pub name: String,
    /// URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens.
    pub slug: String,
}

/// Changes to a team. `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TeamChanges {
    /// New display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New URL-friendly name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
}

/// A team and the caller's membership in it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListedTeam {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// Account ID of the owner.
    pub owner: String,
    /// The caller's own roles: comma-separated role names and permissions.
    pub roles: String,
    /// Label of the caller's role, for display.
    pub role_name: String,
}

/// A new team.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedTeam {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// Account ID of the owner: the caller.
    pub owner: String,
    /// When the team was created.
    pub created_at: DateTime<Utc>,
}

/// A team after a change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Team {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// Account ID of the owner.
    pub owner_id: String,
    /// When the team was created.
    pub created_at: DateTime<Utc>,
}

/// A team with its members, projects and pending invites. Lists that the caller may not read are empty.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TeamDetails {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// Account ID of the owner.
    pub owner_id: String,
    /// When the team was created.
    pub created_at: DateTime<Utc>,
    /// Members.
    pub members: Vec<TeamMember>,
    /// Projects. An API key receives only its own project.
    pub projects: Vec<TeamProject>,
    /// Pending invites.
    pub invites: Vec<TeamInvite>,
}

/// A member, as shown with its team.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TeamMember {
    /// Account ID.
    pub account_id: String,
    /// Comma-separated role names and permissions.
    pub roles: String,
    /// Label of the role, for display.
    pub role_name: String,
}

/// A project, as shown with its team.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TeamProject {
    /// Unique ID.
    pub id: String,
    /// Display name.
    pub name: String,
    /// URL-friendly name, unique in the service.
    pub slug: String,
    /// Icon.
    pub profile: ProjectIcon,
}

/// Icon of a project.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectIcon {
    /// URL of the icon; `None` if the project has none.
    pub icon_url: Option<String>,
}

/// A pending invite, as shown with its team.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TeamInvite {
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
}
