//! The team or project whose audit log a page shows.

use steward_domain::error::Error;
use steward_domain::model::{AuditChain, ResourceScope, TeamId};
use steward_domain::policy::Operation;

use crate::error::PageError;

use super::permitted::Permitted;
use super::scope::{ProjectScope, TeamScope};
use super::shell::Shell;
use super::signed::Signed;

const TAB: &str = "Audit log";

/// The team or project in the path. The pages of the audit log are mounted below both.
pub(super) enum LogScope {
    Team(Box<TeamScope>),
    Project(Box<ProjectScope>),
}

impl LogScope {
    /// Returns the team or project in the path if the person may read its audit log.
    pub(super) async fn of(signed: &Signed) -> Result<Self, PageError> {
        let scope = if signed.parameter("team").is_empty() {
            Self::Project(Box::new(signed.project().await?))
        } else {
            Self::Team(Box::new(signed.team().await?))
        };
        scope.require()?;
        Ok(scope)
    }

    fn require(&self) -> Result<(), Error> {
        self.permitted().require(match self {
            Self::Team(_) => Operation::TeamAudit,
            Self::Project(_) => Operation::ProjectAudit,
        })
    }

    pub(super) fn permitted(&self) -> Permitted {
        match self {
            Self::Team(scope) => scope.permitted,
            Self::Project(scope) => scope.permitted,
        }
    }

    pub(super) fn resource(&self) -> ResourceScope {
        match self {
            Self::Team(scope) => ResourceScope::Team(scope.team.id),
            Self::Project(scope) => ResourceScope::Project(scope.project.id),
        }
    }

    pub(super) fn team_id(&self) -> TeamId {
        match self {
            Self::Team(scope) => scope.team.id,
            Self::Project(scope) => scope.project.team_id,
        }
    }

    /// Returns the hash chain of the log. The events of a team's projects are in the chains of these projects.
    pub(super) fn chain(&self) -> AuditChain {
        let project = match self {
            Self::Team(_) => None,
            Self::Project(scope) => Some(scope.project.id),
        };
        AuditChain { team: self.team_id(), project }
    }

    /// Whether the log is that of a team.
    pub(super) fn is_team(&self) -> bool {
        matches!(self, Self::Team(_))
    }

    pub(super) fn slug(&self) -> &str {
        match self {
            Self::Team(scope) => scope.team.slug.as_str(),
            Self::Project(scope) => scope.project.slug.as_str(),
        }
    }

    /// Returns the address of a page of the log. `path` is empty, or starts with a slash.
    pub(super) fn at(&self, path: &str) -> String {
        let path = format!("/audit{path}");
        match self {
            Self::Team(scope) => scope.at(&path),
            Self::Project(scope) => scope.at(&path),
        }
    }

    /// Returns the layout of the page.
    pub(super) async fn shell(&self, signed: &Signed) -> Result<Shell, PageError> {
        match self {
            Self::Team(scope) => scope.shell(signed, TAB).await,
            Self::Project(scope) => scope.shell(signed, TAB).await,
        }
    }
}
