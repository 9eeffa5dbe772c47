//! Projects (docs/contract.md#projects).

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::administration::project_summary::{ProjectPresentation, ProjectSummary};
use crate::administration::team::{Availability, SlugParameter};
use crate::list::PageParameters;
use crate::operation::operations;
use crate::response::Message;
use crate::values::{TeamId, Timestamp, nullable};

operations! {
    ROWS, "projects";

    /// List projects
    ///
    /// Returns the projects of all of the caller's teams, newest first. With an API key, returns only the key's own
    /// project. Those of a team that requires a second factor are missing until the caller uses one.
    ListProjects Get "/project", Reads Safe, query(PageParameters), 200(list ListedProject), command("project list");

    /// Create a project
    ///
    /// Creates a project in one of the caller's teams.
    CreateProject Post "/project", Writes Keyed AuthorityInBody, body(NewProject), 201(data CreatedProject),
        shows(ProjectDetails), errors("slug_taken", "slug_reserved", "quota_exceeded"), command("project create");

    /// Get a project
    ///
    /// Returns a project with the usage and limits of its quotas.
    GetProject Get "/project/{id}", Reads Safe, at(Project), 200(data ProjectDetails),
        304("The project has the ETag in `If-None-Match`."), shows(ProjectDetails), errors("precondition_failed"),
        command("project get");

    /// Get the public profile of a project
    ///
    /// Returns the information about a project that everyone may read. Requires no credential.
    GetProjectProfile Get "/project/{id}/profile", Reads Safe, at(Project), 200(data PublicProject),
        304("The profile has the ETag in `If-None-Match`."), shows(PublicProject), errors("precondition_failed"),
        command("project public");

    /// Update a project
    ///
    /// Changes the name, slug, website or profile of a project.
    UpdateProject Patch "/project/{id}", Writes Keyed, at(Project), body(ProjectUpdate), 200(data Project),
        shows(ProjectDetails), errors("slug_taken", "slug_reserved", "quota_exceeded", "precondition_failed"),
        command("project update");

    /// Check whether a project slug is available
    ///
    /// A slug is available if it is neither taken nor reserved. Requires no credential.
    CheckProjectSlug Get "/project/slug", Reads Safe, query(SlugParameter), 200(Availability),
        deviates("docs/contract.md#slugs"), command("project check-slug");

    /// Delete a project
    ///
    /// Deletes a project and all its data. The project becomes inaccessible immediately, and its slug becomes available.
    /// Its team can be deleted after the data is removed, which takes seconds, or minutes for large projects.
    DeleteProject Delete "/project/{id}", Writes Keyed, at(Project), 200(Message),
        deviates("docs/contract.md#responses"), errors("precondition_failed"), command("project delete");
}

/// Images of a project's public profile.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectAppearance {
    /// URL of the icon; null if the project has none.
    #[schema(example = "https://example.com/icon.png")]
    pub icon_url: Option<String>,
    /// Appearance of the project's pages.
    pub styles: ProjectStyles,
}

/// Appearance of a project's pages.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectStyles {
    /// URL of the background image; null if the project has none.
    #[schema(example = "https://example.com/background.jpg")]
    pub background_url: Option<String>,
}

/// A project and its team, as listed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ListedProject {
    /// What identifies the project.
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// Images of the public profile.
    pub profile: ProjectAppearance,
    /// ID of the team that owns the project.
    pub team_id: TeamId,
    /// Display name of the team.
    pub team_name: String,
    /// URL-friendly name of the team.
    pub team_slug: String,
    /// When the project was created.
    pub created_at: Timestamp,
}

/// Values of a new project.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct NewProject {
    /// Display name of the project: 1 to 100 characters.
    pub name: String,
    /// ID of the team that owns the project.
    #[schema(example = "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53")]
    pub team_id: String,
    /// URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens. If absent, it is
    /// generated from the name, with a number appended if it is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
}

/// A new project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CreatedProject {
    /// What identifies the project.
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// When the project was created.
    pub created_at: Timestamp,
}

/// A project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectDetails {
    /// What identifies the project.
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// How the project presents itself.
    #[serde(flatten)]
    pub presentation: ProjectPresentation,
    /// ID of the team that owns the project.
    pub team_id: TeamId,
    /// When the project was created.
    pub created_at: Timestamp,
    /// When the project or its settings last changed.
    pub updated_at: Timestamp,
    /// Usage and limits of the project's quotas. Responses to a public API key do not contain them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ProjectUsage>,
}

/// Usage and limits of a project's quotas.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "items": {"used": 1280, "limit": 10_000_000},
    "bytes": {"used": 413_952, "limit": 10_737_418_240_u64},
    "keys": {"used": 3, "limit": 200},
    "webhooks": {"used": 1, "limit": 50},
    "schema_versions": {"used": 7, "limit": 2000},
}))]
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
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct QuotaUsage {
    /// Current number or size.
    pub used: u64,
    /// Maximum number or size. The operator of the service configures it.
    pub limit: u64,
}

/// Public information about a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PublicProject {
    /// What identifies the project.
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// How the project presents itself.
    #[serde(flatten)]
    pub presentation: ProjectPresentation,
    /// When the project was created.
    pub created_at: Timestamp,
    /// Public sign-in settings.
    pub auth: PublicSignIn,
}

/// Public sign-in settings of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PublicSignIn {
    /// URIs that may receive authorization codes. If the list is empty, only loopback URIs may.
    #[schema(example = json!(["https://example.com/callback"]))]
    pub redirect_uris: Vec<String>,
}

/// Changes to a project, either at the top level or in `data`. At least one field is required; absent fields stay
/// unchanged.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"name": "Acme", "website": "https://example.com"}))]
pub struct ProjectUpdate {
    /// The changes.
    #[serde(flatten)]
    pub change: ProjectChanges,
    /// The same changes in a wrapper, in the format of responses. No other field may be sent with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<ProjectChanges>,
}

/// Changes to a project. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct ProjectChanges {
    /// New display name: 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// New website, an http(s) URL of at most 2,048 characters; null removes it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable")]
    #[schema(value_type = Option<String>)]
    pub website: Option<Option<String>>,
    /// Merged into the stored profile (RFC 7396): null removes a member. At most 64 KiB as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, example = json!({"icon_url": "https://example.com/icon.png"}))]
    pub profile: Option<Map<String, Value>>,
}

/// A project after a change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Project {
    /// What identifies the project.
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// How the project presents itself.
    #[serde(flatten)]
    pub presentation: ProjectPresentation,
    /// When the project last changed.
    pub updated_at: Timestamp,
}
