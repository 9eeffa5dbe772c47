//! The team or project that a page is about.

use steward_domain::administration::{Project, Team};
use steward_domain::kernel::ResourceScope;
use steward_domain::kernel::policy::{Operation, RoleSet};

use crate::error::PageError;

use super::permitted::Permitted;
use super::shell::{Crumb, Shell};
use super::signed::Signed;

/// The team in the path, and what the person may do in it.
pub(crate) struct TeamScope {
    pub team: Team,
    pub roles: RoleSet,
    pub permitted: Permitted,
}

/// The project in the path, and what the person may do in it.
#[derive(Clone)]
pub(crate) struct ProjectScope {
    pub project: Project,
    pub team_name: String,
    pub permitted: Permitted,
}

impl Signed {
    /// Returns the team in the path. A team that the person may not know is not found.
    pub(crate) async fn team(&self) -> Result<TeamScope, PageError> {
        let access = self.steward().access.team(&self.caller, self.team_id()?).await?;
        let membership = access.membership()?;
        Ok(TeamScope {
            team: membership.team.clone(),
            roles: membership.roles.clone(),
            permitted: Permitted::of(|permission| access.holds(permission)),
        })
    }

    /// Returns the project in the path. A project that the person may not know is not found.
    pub(crate) async fn project(&self) -> Result<ProjectScope, PageError> {
        let access = self.steward().access.project(&self.caller, self.project_id()?).await?;
        let found = access.project();
        Ok(ProjectScope {
            project: found.project.clone(),
            team_name: found.team_name.to_string(),
            permitted: Permitted::of(|permission| access.holds(permission)),
        })
    }
}

impl TeamScope {
    /// Returns the address of a page of the team. `path` is empty, or starts with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("/console/teams/{}{path}", self.team.id)
    }

    /// Returns the layout of a page in this tab of the team.
    pub(crate) async fn shell(&self, signed: &Signed, tab: &str) -> Result<Shell, PageError> {
        let address = self.permitted.may(Operation::TeamGet).then(|| self.at(""));
        let crumbs = vec![Crumb { label: self.team.name.to_string(), address }, Crumb::here(tab)];
        signed.shell(crumbs, signed.tabs().of(self.permitted, ResourceScope::Team(self.team.id), tab)).await
    }
}

impl ProjectScope {
    /// Returns the address of a page of the project. `path` is empty, or starts with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("/console/projects/{}{path}", self.project.id)
    }

    /// Returns the address of the project's team, if the person may read it.
    pub(crate) fn team_address(&self) -> Option<String> {
        let is_permitted = self.permitted.may(Operation::TeamGet);
        is_permitted.then(|| format!("/console/teams/{}", self.project.team_id))
    }

    /// Returns the layout of a page in this tab of the project.
    pub(crate) async fn shell(&self, signed: &Signed, tab: &str) -> Result<Shell, PageError> {
        let team = Crumb { label: self.team_name.clone(), address: self.team_address() };
        let address = self.permitted.may(Operation::ProjectGet).then(|| self.at(""));
        let project = Crumb { label: self.project.name.to_string(), address };
        let crumbs = vec![team, project, Crumb::here(tab)];
        signed.shell(crumbs, signed.tabs().of(self.permitted, ResourceScope::Project(self.project.id), tab)).await
    }
}
