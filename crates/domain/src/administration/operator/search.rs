//! Search in all projects of a person: for users, API keys, webhooks, clients, tables and items.

use std::sync::Arc;

use uuid::Uuid;

use crate::administration::{AdministrationCore, ProjectInTeam, TeamMembership};
use crate::data::user::with_emails;
use crate::data::{DataCore, ItemId, ItemKey, ItemPath, ProjectUser, UserSearch, VisibleUser};
use crate::kernel::error::Error;
use crate::kernel::policy::{Operation, PermissionSet};
use crate::kernel::{Caller, Name, Named, PageRequest, ProjectId, ResourceScope, TeamId, account_of};

/// Maximum number of matches of each kind that a search returns.
const MAX_FOUND: u16 = 20;
/// Maximum number of API keys, of webhooks and of clients whose names are compared.
const MAX_NAMED: u16 = 10_000;
/// Maximum number of projects whose schema is searched. Documents are large, and only some of them are cached.
const MAX_SCHEMAS: usize = 100;
/// Maximum number of projects whose items are searched.
const MAX_ITEM_PROJECTS: usize = 20;
/// Maximum numbers of users whose items are searched, and of lookups, in each of them: the ID of an item is unique only
/// in a table of a user, so each user and table is a lookup.
const MAX_ITEM_USERS: u16 = 1_000;
const MAX_LOOKUPS: u16 = 4_000;

/// What a search found.
#[derive(Debug)]
pub struct SearchResults {
    /// The teams that were searched: all teams of the person that are open to them, up to the size of a page.
    pub memberships: Vec<TeamMembership>,
    /// The projects that were searched: those of the person's teams, up to the size of a page.
    pub projects: Vec<ProjectInTeam>,
    /// Users that match by what the list of users searches, newest first.
    pub users: Vec<Found<VisibleUser>>,
    /// API keys that match by label, hint or ID, newest first.
    pub keys: Vec<Found<Named>>,
    /// Webhooks that match by URL or ID, newest first.
    pub webhooks: Vec<Found<Named>>,
    /// OAuth clients that match by name or ID, newest first.
    pub clients: Vec<Found<Named>>,
    /// Names of tables that match, with the newest schema of their project.
    pub tables: Vec<Found<String>>,
    /// Items whose ID is the text, if it is a UUID.
    pub items: Vec<Found<ItemPath>>,
    /// Whether there can be further matches that are not returned.
    pub is_cut: bool,
}

/// A match in a team or project.
#[derive(Debug)]
pub struct Found<T> {
    /// The team or project.
    pub scope: ResourceScope,
    /// Its name.
    pub name: Name,
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

    /// Finds what contains the text, ignoring case, or has it as its ID. Each kind is searched only where the person may
    /// list it, and nothing in those teams that require a second factor that the person did not use.
    pub async fn find(&self, caller: &Caller, text: &UserSearch) -> Result<SearchResults, Error> {
        let (account, one_factor_at) = (account_of(caller)?, self.data.access.one_factor_at(caller));
        let ports = &self.administration.ports;
        let memberships = ports.teams.teams_of(account, one_factor_at, &PageRequest::FIRST).await?;
        let projects = ports.projects.projects_of(account, one_factor_at, &PageRequest::FIRST).await?;
        let is_cut = memberships.next.is_some() || projects.next.is_some();
        let (memberships, projects) = (memberships.items, projects.items);
        let mut searched = Searched { memberships: &memberships, projects: &projects, is_cut };

        let users = searched.projects_with(Operation::UserList);
        let users = self.data.ports.project_users.find_users(&users, text, MAX_FOUND + 1).await?;
        let keys = ports.api_keys.key_labels(&searched.projects_with(Operation::KeyList), MAX_NAMED).await?;
        // A webhook of a project requires the same permission, in its team.
        let webhooks = searched.teams_with(Operation::TeamWebhookList);
        let webhooks = ports.webhooks.webhook_urls(&webhooks, MAX_NAMED).await?;
        let clients = searched.projects_with(Operation::ClientList);
        let clients = ports.project_clients.client_names(&clients, MAX_NAMED).await?;

        let users = searched.located(self.with_emails(users).await?);
        let [keys, webhooks, clients] = [keys, webhooks, clients].map(|all| searched.named(all, text));
        let tables = self.tables(&mut searched, text).await?;
        let items = self.items(&mut searched, text).await?;
        let is_cut = searched.is_cut;
        Ok(SearchResults { memberships, projects, users, keys, webhooks, clients, tables, items, is_cut })
    }

    /// Adds the addresses that the users granted to their projects.
    async fn with_emails(&self, users: Vec<ProjectUser>) -> Result<Vec<(ResourceScope, VisibleUser)>, Error> {
        let mut visible = Vec::new();
        for users in users.chunk_by(|user, next| user.project_id == next.project_id) {
            let Some(project) = users.first().map(|user| user.project_id) else { continue };
            let users = with_emails(&*self.data.ports.project_users, project, users.to_vec()).await?;
            visible.extend(users.into_iter().map(|user| (ResourceScope::Project(project), user)));
        }
        Ok(visible)
    }

    /// Finds tables. Everyone who may know a project may read its schema.
    async fn tables(&self, searched: &mut Searched<'_>, text: &UserSearch) -> Result<Vec<Found<String>>, Error> {
        let published: Vec<_> = searched.projects.iter().filter(|found| found.schema_number > 0).collect();
        searched.is_cut |= published.len() > MAX_SCHEMAS;
        let mut tables = Vec::new();
        for found in published.into_iter().take(MAX_SCHEMAS) {
            let scope = ResourceScope::Project(found.project.id);
            let names = self.table_names(found).await?;
            tables.extend(names.into_iter().filter(|name| text.matches(name)).map(|name| (scope, name)));
        }
        Ok(searched.located(tables))
    }

    /// Finds items by their whole ID, if it is a UUID. Other texts are words, for which too much would be looked up.
    async fn items(&self, searched: &mut Searched<'_>, text: &UserSearch) -> Result<Vec<Found<ItemPath>>, Error> {
        let (Ok(_), Ok(id)) = (Uuid::try_parse(text.as_str()), ItemId::stored(text.as_str())) else {
            return Ok(Vec::new());
        };
        let permitted = searched.projects_with(Operation::ItemGet);
        let published = searched.projects.iter().filter(|found| found.schema_number > 0);
        let published: Vec<_> = published.filter(|found| permitted.contains(&found.project.id)).collect();
        searched.is_cut |= published.len() > MAX_ITEM_PROJECTS;
        let mut paths = Vec::new();
        for found in published.into_iter().take(MAX_ITEM_PROJECTS) {
            let tables = self.table_names(found).await?.into_iter();
            let keys: Vec<_> = tables.map(|table| ItemKey { table, id: id.clone() }).collect();
            let users = u16::try_from(keys.len()).ok().and_then(|keys| MAX_LOOKUPS.checked_div(keys));
            let Some(users) = users.map(|users| users.min(MAX_ITEM_USERS)) else { continue };
            let rows = self.data.ports.items.item_paths(found.project.id, &keys, users).await?;
            searched.is_cut |= rows.more;
            paths.extend(rows.items.into_iter().map(|path| (ResourceScope::Project(path.project_id), path)));
            if paths.len() > usize::from(MAX_FOUND) {
                break;
            }
        }
        Ok(searched.located(paths))
    }

    /// Returns the names of the tables of the newest schema.
    async fn table_names(&self, of: &ProjectInTeam) -> Result<Vec<String>, Error> {
        let document = self.data.catalog.document(of.project.id, of.schema_number).await?;
        Ok(document.iter().flat_map(|document| document.table_names()).map(str::to_owned).collect())
    }
}

/// Where a person searches.
struct Searched<'a> {
    memberships: &'a [TeamMembership],
    projects: &'a [ProjectInTeam],
    is_cut: bool,
}

impl<'a> Searched<'a> {
    /// Returns the teams in which the person may perform the operation.
    fn teams_with(&self, operation: Operation) -> Vec<TeamId> {
        let may = |held: PermissionSet| operation.rule().requirement.permissions().all(|one| held.has(one));
        let teams = self.memberships.iter().filter(|membership| may(membership.roles.permissions()));
        teams.map(|membership| membership.team.id).collect()
    }

    /// Returns the projects in which the person may perform the operation.
    fn projects_with(&self, operation: Operation) -> Vec<ProjectId> {
        let teams = self.teams_with(operation);
        let projects = self.projects.iter().map(|found| &found.project);
        projects.filter(|project| teams.contains(&project.team_id)).map(|project| project.id).collect()
    }

    /// Returns those whose name or hint contains the text, or whose ID it is.
    fn named(&mut self, all: Vec<Named>, text: &UserSearch) -> Vec<Found<Named>> {
        self.is_cut |= all.len() >= usize::from(MAX_NAMED);
        let id = Uuid::try_parse(text.as_str()).ok();
        let is_match = |one: &Named| id == Some(one.id) || text.matches(&one.name) || text.matches(&one.hint);
        self.located(all.into_iter().filter(is_match).map(|one| (one.scope, one)))
    }

    /// Adds the names of their teams and projects to what was found, and removes what is beyond the limit.
    fn located<T>(&mut self, found: impl IntoIterator<Item = (ResourceScope, T)>) -> Vec<Found<T>> {
        let (memberships, projects) = (self.memberships, self.projects);
        let name = |scope| match scope {
            ResourceScope::Team(id) => {
                memberships.iter().find(|found| found.team.id == id).map(|found| &found.team.name)
            }
            ResourceScope::Project(id) => {
                projects.iter().find(|found| found.project.id == id).map(|found| &found.project.name)
            }
        };
        let mut found =
            found.into_iter().filter_map(|(scope, value)| Some(Found { scope, name: name(scope)?.clone(), value }));
        let located = found.by_ref().take(usize::from(MAX_FOUND)).collect();
        self.is_cut |= found.next().is_some();
        located
    }
}
