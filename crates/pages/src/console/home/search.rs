//! Search for teams, projects and what is in them, and for pages and settings.

use askama::Template;
use steward_domain::administration::{Found, ProjectInTeam, SearchResults, TeamMembership};
use steward_domain::data::{ItemPath, UserSearch, VisibleUser};
use steward_domain::kernel::{Named, ResourceScope};

use crate::console::data::user::scope::name_of;
use crate::console::frame::{Crumb, Permitted, Searchable, Shell, Signed, Tabs, address_in};
use crate::error::{PageError, PageResult};

use super::overview::{ProjectLine, TeamLine, project_lines, team_line};

/// Maximum length of a search text that is compared, in characters.
const MAX_CHARS: usize = 100;
/// Maximum number of pages and settings that are shown.
const MAX_PAGES: usize = 20;
/// Maximum number of pages of the documentation that are shown.
const MAX_DOCS: usize = 5;

/// Shows what the person may see and what matches the text.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let text: String = signed.query("q").trim().chars().filter(|char| !char.is_control()).take(MAX_CHARS).collect();
    let found = match UserSearch::parse(&text) {
        Ok(search) => find(&signed, &search, &text).await?,
        Err(_) => Search::default(),
    };
    let shell = signed.shell(vec![Crumb::here("Search")], Vec::new()).await?;
    signed.page(&SearchPage { shell, text, found })
}

/// A match that is not a team or project.
struct Line {
    label: String,
    /// The team, project or part of the console to which the match belongs.
    place: String,
    detail: String,
    address: String,
}

/// Matches of one kind.
struct Group {
    /// The anchor of the heading.
    id: &'static str,
    title: &'static str,
    /// The heading of the column with the details; empty without the column.
    detail: &'static str,
    lines: Vec<Line>,
}

/// What a search found.
#[derive(Default)]
struct Search {
    teams: Vec<TeamLine>,
    projects: Vec<ProjectLine>,
    groups: Vec<Group>,
    docs: Vec<steward_docs::Hit>,
    is_cut: bool,
}

impl Search {
    fn is_empty(&self) -> bool {
        self.teams.is_empty() && self.projects.is_empty() && self.groups.is_empty()
    }
}

async fn find(signed: &Signed, search: &UserSearch, text: &str) -> Result<Search, PageError> {
    let (steward, is_operator) = (signed.steward(), signed.signed_in.account.is_operator);
    let results = steward.search.find(&signed.caller, search).await?;
    let settings = if is_operator { steward.operators.settings(&signed.caller).await? } else { Vec::new() };
    // A part of an ID is not searched: what lists show of it is the beginning, which many have in common.
    let matches = |name: &str, slug: &str, id: String| search.matches(name) || search.matches(slug) || id == text;
    let teams = results
        .memberships
        .iter()
        .filter(|TeamMembership { team, .. }| matches(team.name.as_str(), team.slug.as_str(), team.id.to_string()));
    let mut projects = results.projects.clone();
    projects.retain(|ProjectInTeam { project, .. }| {
        matches(project.name.as_str(), project.slug.as_str(), project.id.to_string())
    });
    let mut pages = pages(signed.tabs(), text, &results, is_operator);
    pages.extend(
        settings
            .iter()
            .filter(|setting| search.matches(setting.name))
            .map(|setting| line(setting.name, "Settings of this service", "/console/operator/settings".to_owned())),
    );
    // What has exactly this name comes first: the palette chooses it.
    pages.sort_by_key(|line| !line.label.eq_ignore_ascii_case(text));
    let is_cut = results.is_cut || pages.len() > MAX_PAGES;
    pages.truncate(MAX_PAGES);
    Ok(Search {
        teams: teams.map(|membership| team_line(signed.tabs(), membership.clone())).collect(),
        projects: project_lines(signed.tabs(), projects, &results.memberships),
        groups: groups(&results, pages),
        docs: steward_docs::search(text, MAX_DOCS),
        is_cut,
    })
}

/// Returns the groups that have lines.
fn groups(results: &SearchResults, pages: Vec<Line>) -> Vec<Group> {
    let users = results.users.iter();
    let users = users.map(|found| {
        let VisibleUser { user, email } = &found.value;
        line_in(found, name_of(user, email.as_ref()), &format!("users/{}", user.id))
    });
    let tables = results.tables.iter().map(|found| line_in(found, found.value.clone(), "schema"));
    let items = results.items.iter().map(|found| {
        let ItemPath { user_id, table, id, .. } = &found.value;
        let path = format!("users/{user_id}/tables/{table}/items/{}", id.as_str());
        let place = format!("{table}, {}", found.name);
        Line { detail: user_id.to_string(), place, ..line_in(found, id.as_str().to_owned(), &path) }
    });
    let groups = [
        Group { id: "users", title: "Users", detail: "", lines: users.collect() },
        Group { id: "keys", title: "API keys", detail: "Value", lines: named(&results.keys, "keys") },
        Group { id: "webhooks", title: "Webhooks", detail: "", lines: named(&results.webhooks, "webhooks") },
        Group { id: "clients", title: "Clients", detail: "", lines: named(&results.clients, "clients") },
        Group { id: "tables", title: "Tables", detail: "", lines: tables.collect() },
        Group { id: "items", title: "Items", detail: "User", lines: items.collect() },
        Group { id: "pages", title: "Pages and settings", detail: "", lines: pages },
    ];
    groups.into_iter().filter(|group| !group.lines.is_empty()).collect()
}

/// Returns the lines of matches whose pages are below this path.
fn named(found: &[Found<Named>], path: &str) -> Vec<Line> {
    let line = |found: &Found<Named>| {
        let Named { id, name, hint, .. } = &found.value;
        Line { detail: hint.clone(), ..line_in(found, name.clone(), &format!("{path}/{id}")) }
    };
    found.iter().map(line).collect()
}

fn line(label: impl Into<String>, place: impl Into<String>, address: String) -> Line {
    Line { label: label.into(), place: place.into(), detail: String::new(), address }
}

/// Returns the line of a match in a team or project. `path`: that of its page, below the team or project.
fn line_in<T>(found: &Found<T>, label: String, path: &str) -> Line {
    let root = match found.scope {
        ResourceScope::Team(id) => format!("teams/{id}"),
        ResourceScope::Project(id) => format!("projects/{id}"),
    };
    line(label, found.name.as_str(), format!("/console/{root}/{path}"))
}

/// Returns the pages and settings whose label matches the text. A text with several words can also name the team or
/// project: each word is in its name or slug or in the label, and one of them in the label.
fn pages(tabs: Tabs, text: &str, results: &SearchResults, is_operator: bool) -> Vec<Line> {
    let folded = text.to_lowercase();
    let words: Vec<&str> = folded.split_whitespace().collect();
    // Labels are compared once, and not again in each team and project.
    let matching = |root: &str| -> Vec<(String, Searchable)> {
        let labels = |page: &Searchable| format!("{} {}", page.label, page.words).to_lowercase();
        let labelled = tabs.searchable(root).into_iter().map(|page| (labels(&page), page));
        labelled.filter(|(label, _)| words.iter().any(|word| label.contains(word))).collect()
    };
    let is_named = |label: &str, place: &str| words.iter().all(|word| label.contains(word) || place.contains(word));
    let roots = ["/console/account", "/console/teams/new", "/console/projects/new", "/console/operator"];
    let own = roots.into_iter().take(if is_operator { 4 } else { 3 }).flat_map(|root| {
        let place = if root == "/console/operator" { "This service" } else { "Your account" };
        let found = matching(root).into_iter().filter(move |(label, _)| is_named(label, &place.to_lowercase()));
        found.map(move |(_, page)| line(page.label, place, page.page.path.to_owned()))
    });
    let in_scope = |found: &[(String, Searchable)], scope, permitted, (name, slug): (&str, &str)| -> Vec<Line> {
        let place = format!("{name} {slug}").to_lowercase();
        let named =
            found.iter().filter(|(label, page)| is_named(label, &place) && tabs.is_open(page.page, scope, permitted));
        named.map(|(_, found)| line(found.label, name, address_in(scope, found.page))).collect()
    };
    let (team_pages, project_pages) = (matching("/console/teams/{team}"), matching("/console/projects/{project}"));
    let of_teams = results.memberships.iter().flat_map(|TeamMembership { team, roles, .. }| {
        let permitted = Permitted::with(roles.permissions());
        in_scope(&team_pages, ResourceScope::Team(team.id), permitted, (team.name.as_str(), team.slug.as_str()))
    });
    let of_projects = results.projects.iter().flat_map(|ProjectInTeam { project, .. }| {
        let membership = results.memberships.iter().find(|membership| membership.team.id == project.team_id);
        let permitted = membership.map(|membership| Permitted::with(membership.roles.permissions()));
        let name = (project.name.as_str(), project.slug.as_str());
        let scope = ResourceScope::Project(project.id);
        permitted.map_or_else(Vec::new, |permitted| in_scope(&project_pages, scope, permitted, name))
    });
    // One more than is shown, which tells that there are more.
    own.chain(of_teams).chain(of_projects).take(MAX_PAGES + 1).collect()
}

#[derive(Template)]
#[template(path = "console/home/search.html")]
struct SearchPage {
    shell: Shell,
    text: String,
    found: Search,
}
