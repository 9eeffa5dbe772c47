//! The team or project whose audit log a page shows.

use steward_domain::administration::AuditChain;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{ResourceScope, TeamId};

use crate::console::frame::{Permitted, Shell, Signed, TeamOrProject};
use crate::error::PageError;

/// The team or project in the path. The person may read its audit log.
pub(crate) struct LogScope(TeamOrProject);

impl LogScope {
    /// Returns the team or project in the path if the person may read its audit log.
    pub(crate) async fn of(signed: &Signed) -> Result<Self, PageError> {
        let scope = Self(TeamOrProject::of(signed).await?);
        scope.require()?;
        Ok(scope)
    }

    fn require(&self) -> Result<(), Error> {
        self.permitted().require(self.0.choose(Operation::TeamAudit, Operation::ProjectAudit))
    }

    pub(crate) fn permitted(&self) -> Permitted {
        self.0.permitted()
    }

    pub(crate) fn resource(&self) -> ResourceScope {
        self.0.id()
    }

    pub(crate) fn team_id(&self) -> TeamId {
        match &self.0 {
            TeamOrProject::Team(scope) => scope.team.id,
            TeamOrProject::Project(scope) => scope.project.team_id,
        }
    }

    /// Returns the hash chain of the log. The events of a team's projects are in the chains of these projects.
    pub(crate) fn chain(&self) -> AuditChain {
        let project = match &self.0 {
            TeamOrProject::Team(_) => None,
            TeamOrProject::Project(scope) => Some(scope.project.id),
        };
        AuditChain { team: self.team_id(), project }
    }

    /// Whether the log is that of a team.
    pub(crate) fn is_team(&self) -> bool {
        self.0.choose(true, false)
    }

    pub(crate) fn slug(&self) -> &str {
        match &self.0 {
            TeamOrProject::Team(scope) => scope.team.slug.as_str(),
            TeamOrProject::Project(scope) => scope.project.slug.as_str(),
        }
    }

    /// Returns the address of a page of the log. `path` is empty, or starts with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        self.0.at(&format!("/audit{path}"))
    }

    /// Returns the layout of the page.
    pub(crate) async fn shell(&self, signed: &Signed) -> Result<Shell, PageError> {
        self.0.shell(signed, "Audit log").await
    }
}
