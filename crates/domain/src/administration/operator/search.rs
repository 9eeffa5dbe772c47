//! Search in all projects of a person, for users, API keys and tables.

use std::sync::Arc;

use crate::administration::{AdministrationCore, ApiKey, ProjectInTeam, TeamMembership};
use crate::data::{DataCore, ProjectUser, UserSearch};
use crate::kernel::error::Error;
use crate::kernel::policy::{Operation, PermissionSet};
use crate::kernel::{Caller, Name, PageRequest, ProjectId, account_of};

/// Maximum number of users, of keys and of tables that a search returns.
const MAX_FOUND: u16 = 20;
/// Maximum number of projects whose schema is searched. Documents are large, and only some of them are cached.
const MAX_SCHEMAS: usize = 100;

/// What a search found.
#[derive(Debug)]
pub struct SearchResults {
    /// The teams that were searched: all teams of the person that are open to them, up to the size of a page.
    pub memberships: Vec<TeamMembership>,
    /// The projects that were searched: those of the person's teams, up to the size of a page.
    pub projects: Vec<ProjectInTeam>,
    /// Users that match by what the list of users searches, newest first.
    pub users: Vec<Found<ProjectUser>>,
    /// API keys that match by label or hint, newest first.
    pub keys: Vec<Found<ApiKey>>,
    /// Names of tables that match, with the newest schema of their project.
    pub tables: Vec<Found<String>>,
    /// Whether there can be further matches that are not returned.
    pub is_cut: bool,
}

/// A match in a project.
#[derive(Debug)]
pub struct Found<T> {
    /// The project.
    pub project_id: ProjectId,
    /// The project's name.
    pub project_name: Name,
    /// What was found.
    pub value: T,
}

/// The search of the console.
pub struct Search {
    administration: Arc<AdministrationCore>,
    data: Arc<DataCore>,
}

impl Search {
    /// Creates the use case from the shared components.
    pub fn new(administration: &Arc<AdministrationCore>, data: &Arc<DataCore>) -> Self {
        Self { administration: administration.clone(), data: data.clone() }
    }

    /// Finds what contains the text, ignoring case. Users and keys are searched only in projects in which the person
    /// may list them, and nothing in those whose team requires a second factor that the person did not use.
    pub async fn find(&self, caller: &Caller, text: &UserSearch) -> Result<SearchResults, Error> {
        let (account, one_factor_at) = (account_of(caller)?, self.data.access.one_factor_at(caller));
        let ports = &self.administration.ports;
        let memberships = ports.teams.teams_of(account, one_factor_at, &PageRequest::FIRST).await?;
        let projects = ports.projects.projects_of(account, one_factor_at, &PageRequest::FIRST).await?;
        let mut is_cut = memberships.next.is_some() || projects.next.is_some();
        let (memberships, projects) = (memberships.items, projects.items);

        let in_which = |operation| permitted(&projects, &memberships, operation);
        let users =
            self.data.ports.project_users.find_users(&in_which(Operation::UserList), text, MAX_FOUND + 1).await?;
        let keys = ports.api_keys.find_keys(&in_which(Operation::KeyList), text, MAX_FOUND + 1).await?;
        let users = located(&projects, users.into_iter().map(|user| (user.project_id, user)), &mut is_cut);
        let keys = located(&projects, keys.into_iter().map(|key| (key.project_id, key)), &mut is_cut);
        let tables = self.tables(&projects, text, &mut is_cut).await?;
        Ok(SearchResults { memberships, projects, users, keys, tables, is_cut })
    }

    /// Finds tables. Everyone who may know a project may read its schema.
    async fn tables(
        &self,
        projects: &[ProjectInTeam],
        text: &UserSearch,
        is_cut: &mut bool,
    ) -> Result<Vec<Found<String>>, Error> {
        let published = || projects.iter().filter(|found| found.schema_number > 0);
        *is_cut |= published().nth(MAX_SCHEMAS).is_some();
        let mut tables = Vec::new();
        for found in published().take(MAX_SCHEMAS) {
            let document = self.data.catalog.document(found.project.id, found.schema_number).await?;
            let names = document.iter().flat_map(|document| document.table_names());
            let matching = names.filter(|name| text.matches(name)).map(|name| (found.project.id, name.to_owned()));
            tables.extend(matching);
        }
        Ok(located(projects, tables, is_cut))
    }
}

/// Returns the projects in which the person may perform the operation.
fn permitted(projects: &[ProjectInTeam], memberships: &[TeamMembership], operation: Operation) -> Vec<ProjectId> {
    let held = |found: &ProjectInTeam| {
        let membership = memberships.iter().find(|membership| membership.team.id == found.project.team_id);
        membership.map_or(PermissionSet::default(), |membership| membership.roles.permissions())
    };
    let may = |held: PermissionSet| operation.rule().requirement.permissions().all(|permission| held.has(permission));
    projects.iter().filter(|found| may(held(found))).map(|found| found.project.id).collect()
}

/// Adds the names of their projects to what was found, and removes what is beyond the limit.
fn located<T>(
    projects: &[ProjectInTeam],
    found: impl IntoIterator<Item = (ProjectId, T)>,
    is_cut: &mut bool,
) -> Vec<Found<T>> {
    let mut found = found.into_iter();
    let located = found.by_ref().take(usize::from(MAX_FOUND)).filter_map(|(project_id, value)| {
        let project = projects.iter().find(|found| found.project.id == project_id)?;
        Some(Found { project_id, project_name: project.project.name.clone(), value })
    });
    let located = located.collect();
    *is_cut |= found.next().is_some();
    located
}
