//! The team or project that a request refers to.

use uuid::Uuid;

use crate::kernel::{ProjectId, TeamId};

/// A team or a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant holds the ID of what it is named after")]
pub enum ResourceScope {
    Team(TeamId),
    Project(ProjectId),
}

impl ResourceScope {
    /// Returns the project or, if there is none, the team.
    pub fn of(team: TeamId, project: Option<ProjectId>) -> Self {
        project.map_or(Self::Team(team), Self::Project)
    }
}

/// What people know of something in a team or project, such as an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The team or project.
    pub scope: ResourceScope,
    /// The ID.
    pub id: Uuid,
    /// The name, label or URL.
    pub name: String,
    /// The visible part of a secret value; empty if there is none.
    pub hint: String,
}
