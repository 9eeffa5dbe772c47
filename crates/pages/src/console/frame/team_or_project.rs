//! The team or project of a page that exists for both: the pages of webhooks and of the audit log.

use steward_domain::kernel::{ResourceScope, TeamId};

use crate::error::PageError;

use super::permitted::Permitted;
use super::scope::{ProjectScope, TeamScope};
use super::shell::Shell;
use super::signed::Signed;

/// The team or project in the path.
pub(crate) enum TeamOrProject {
    Team(Box<TeamScope>),
    Project(Box<ProjectScope>),
}

impl TeamOrProject {
    /// Returns the project in the path or, if there is none, the team.
    pub(crate) async fn of(signed: &Signed) -> Result<Self, PageError> {
        if signed.parameter("project").is_empty() {
            Ok(Self::Team(Box::new(signed.team().await?)))
        } else {
            Ok(Self::Project(Box::new(signed.project().await?)))
        }
    }

    /// Returns one value for a team, and the other one for a project.
    pub(crate) fn choose<T>(&self, of_team: T, of_project: T) -> T {
        match self {
            Self::Team(_) => of_team,
            Self::Project(_) => of_project,
        }
    }

    pub(crate) fn permitted(&self) -> Permitted {
        match self {
            Self::Team(scope) => scope.permitted,
            Self::Project(scope) => scope.permitted,
        }
    }

    pub(crate) fn id(&self) -> ResourceScope {
        match self {
            Self::Team(scope) => ResourceScope::Team(scope.team.id),
            Self::Project(scope) => ResourceScope::Project(scope.project.id),
        }
    }

    /// Returns the team, or that of the project.
    pub(crate) fn team(&self) -> TeamId {
        match self {
            Self::Team(scope) => scope.team.id,
            Self::Project(scope) => scope.project.team_id,
        }
    }

    /// Returns the address of a page. `path` is empty, or starts with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        match self {
            Self::Team(scope) => scope.at(path),
            Self::Project(scope) => scope.at(path),
        }
    }

    /// Returns the layout of a page in this tab.
    pub(crate) async fn shell(&self, signed: &Signed, tab: &str) -> Result<Shell, PageError> {
        match self {
            Self::Team(scope) => scope.shell(signed, tab).await,
            Self::Project(scope) => scope.shell(signed, tab).await,
        }
    }
}
