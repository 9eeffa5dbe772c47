//! Teams (docs/contract.md#teams).

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};

use crate::administration::project_summary::ProjectSummary;
use crate::list::PageParameters;
use crate::operation::operations;
use crate::response::Message;
use crate::values::{AccountId, InviteId, TeamId, Timestamp, nullable};

operations! {
    ROWS, "teams";

    /// List teams
    ///
    /// Returns all teams that the caller is a member of, oldest first, with the caller's own roles. A team that
    /// requires a second factor is missing until the caller uses one.
    ListTeams Get "/team", Reads Safe, query(PageParameters), 200(list ListedTeam), command("team list");

    /// Create a team
    ///
    /// The caller becomes the owner of the team.
    CreateTeam Post "/team", Writes Keyed, body(NewTeam), 201(data CreatedTeam), shows(TeamDetails),
        errors("slug_taken", "slug_reserved", "quota_exceeded"), command("team create");

    /// Check whether a team slug is available
    ///
    /// A slug is available if it is neither taken nor reserved. Requires no credential.
    CheckTeamSlug Get "/team/slug", Reads Safe, query(SlugParameter), 200(Availability),
        deviates("docs/contract.md#slugs"), command("team check-slug");

    /// Update a team
    ///
    /// Changes the name or the slug of a team, or the time from which its members have to use a second factor.
    UpdateTeam Patch "/team/{team_id}", Writes Keyed, at(Team), body(TeamChanges), 200(data Team), shows(TeamDetails),
        errors("slug_taken", "slug_reserved", "quota_exceeded", "precondition_failed"), command("team update");

    /// Get a team
    ///
    /// Returns a team with its members, projects and pending invites. Lists that the caller may not read are empty. An API
    /// key receives only its own project.
    GetTeam Get "/team/{team_id}", Reads Safe, at(Team), 200(data TeamDetails),
        304("The team has the ETag in `If-None-Match`."), shows(TeamDetails), errors("precondition_failed"),
        command("team get");

    /// Delete a team
    ///
    /// Deletes a team with its memberships and invites. A team that still owns a project cannot be deleted.
    DeleteTeam Delete "/team/{team_id}", Writes Keyed, at(Team), 200(Message), deviates("docs/contract.md#responses"),
        errors("team_owns_projects", "precondition_failed"), command("team delete");
}

/// What identifies a team, in all responses.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = part::TeamSummary)]
pub struct TeamSummary {
    /// Unique ID of the team.
    pub id: TeamId,
    /// Display name of the team.
    pub name: String,
    /// URL-friendly name of the team, unique in the service.
    pub slug: String,
}

/// A team and the caller's membership in it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ListedTeam {
    /// What identifies the team.
    #[serde(flatten)]
    pub summary: TeamSummary,
    /// Account ID of the owner.
    pub owner: AccountId,
    /// The caller's own roles: comma-separated role names and permissions.
    pub roles: String,
    /// Label of the caller's role, for display. If none is set, the name of the role, or `Custom`.
    pub role_name: String,
}

/// Values of a new team.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct NewTeam {
    /// Display name of the team: 1 to 100 characters.
    pub name: String,
    /// URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens.
    pub slug: String,
}

/// A new team.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CreatedTeam {
    /// What identifies the team.
    #[serde(flatten)]
    pub summary: TeamSummary,
    /// Account ID of the owner: the caller.
    pub owner: AccountId,
    /// When the team was created.
    pub created_at: Timestamp,
}

/// Changes to a team. At least one field is required; absent fields stay unchanged.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct TeamChanges {
    /// New display name: 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New URL-friendly name, unique in the service: 1 to 63 lowercase letters, digits and single hyphens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The time from which the members of the team have to use a second factor: a date, or an RFC 3339 timestamp; null if
    /// they need not. Only someone who uses one may require it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, example = "2026-12-01")]
    pub second_factor_from: Option<Option<String>>,
}

/// A team after a change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Team {
    /// What identifies the team.
    #[serde(flatten)]
    pub summary: TeamSummary,
    /// Account ID of the owner.
    pub owner_id: AccountId,
    /// The time from which the members of the team have to use a second factor; null if they need not.
    pub second_factor_from: Option<Timestamp>,
    /// When the team was created.
    pub created_at: Timestamp,
}

/// Whether a slug is available.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Availability {
    /// Whether the slug is neither taken nor reserved.
    pub available: bool,
}

/// A team with its members, projects and pending invites.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TeamDetails {
    /// What identifies the team.
    #[serde(flatten)]
    pub summary: TeamSummary,
    /// Account ID of the owner.
    pub owner_id: AccountId,
    /// The time from which the members of the team have to use a second factor; null if they need not.
    pub second_factor_from: Option<Timestamp>,
    /// When the team was created.
    pub created_at: Timestamp,
    /// Members of the team; empty if the caller may not read them.
    pub members: Vec<TeamMember>,
    /// Projects of the team; empty if the caller may not read them. An API key receives only its own project.
    pub projects: Vec<TeamProject>,
    /// Pending invites; empty if the caller may not read them.
    pub invites: Vec<TeamInvite>,
}

/// A member of a team.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TeamMember {
    /// Account ID of the member.
    pub account_id: AccountId,
    /// Comma-separated role names and permissions.
    pub roles: String,
    /// Label of the role, for display. If none is set, the name of the role, or `Custom`.
    pub role_name: String,
}

/// A project of a team.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TeamProject {
    /// What identifies the project.
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// Icon of the project.
    pub profile: ProjectIcon,
}

/// Icon of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectIcon {
    /// URL of the icon; null if the project has none.
    #[schema(example = "https://example.com/icon.png")]
    pub icon_url: Option<String>,
}

/// A pending invite of a team.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TeamInvite {
    /// Unique ID of the invite.
    pub id: InviteId,
    /// ID of the team.
    pub team_id: TeamId,
    /// Email address or username of the invited person.
    pub email_or_username: String,
    /// Roles that the invite grants: comma-separated role names and permissions.
    pub roles: String,
    /// Label of the role, for display. If none is set, the name of the role, or `Custom`.
    pub role_name: String,
}

/// The slug to check.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SlugParameter {
    /// Slug to check.
    #[param(example = "acme")]
    pub slug: String,
}
