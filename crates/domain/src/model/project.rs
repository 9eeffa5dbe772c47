//! Projects: what a team administers.

use crate::policy::RoleSet;

use url::Url;

use super::{InvalidValue, JsonObject, Name, ProjectId, Revision, SignInSettings, Slug, TeamId, Time};

/// An http(s) address of at most 2,048 characters (contract 1.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Website(String);

impl Website {
    /// Trims and checks the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        let fits = text.chars().count() <= 2048 && !text.contains(char::is_control);
        if fits && Url::parse(text).is_ok_and(|url| is_web(&url)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue("must be an http(s) address of at most 2,048 characters"))
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

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
    pub website: Option<Website>,
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
        Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
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
