//! Projects: what a team administers.

use crate::policy::RoleSet;

use super::{JsonObject, Name, ProjectId, Revision, SignInSettings, Slug, TeamId, Time};

/// A project of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// The team that owns it.
    pub team_id: TeamId,
    /// What people call it.
    pub name: Name,
    /// Unique across the service.
    pub slug: Slug,
    /// An http(s) address.
    pub website: Option<String>,
    /// How it presents itself: icon, styles.
    pub profile: JsonObject,
    /// How people may sign in to it.
    pub sign_in: SignInSettings,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}

impl Project {
    /// The address of its icon, when its profile has one that a page may show.
    pub fn icon_url(&self) -> Option<&str> {
        let url = self.profile.members().get("icon_url")?.as_str()?;
        url::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        Some(url)
    }
}

/// A project with the team that owns it, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectInTeam {
    /// The project.
    pub project: Project,
    /// The team's name.
    pub team_name: Name,
    /// The team's slug.
    pub team_slug: Slug,
    /// The number of its newest schema version; 0 before the first publication.
    pub schema_number: u32,
}

/// A project as a member of its team sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectMembership {
    /// The project.
    pub project: ProjectInTeam,
    /// The member's roles in the team.
    pub roles: RoleSet,
}
