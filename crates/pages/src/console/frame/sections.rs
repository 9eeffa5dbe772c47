//! The tabs of teams, projects, the account and operators, as the table of pages names them. A tab of a team or project
//! is shown if the person may perform the operation of its page. The settings link to deletion; people without them get
//! a tab for it.

use steward_domain::kernel::ResourceScope;

use crate::page::Page;
use crate::tab::Tab;

use super::permitted::Permitted;
use super::signed::Signed;

/// A tab of a team or project.
pub(crate) struct Section {
    pub(crate) label: &'static str,
    /// An element.
    pub(crate) icon: &'static str,
    pub(crate) address: String,
    pub(crate) is_current: bool,
}

/// What the search can find: a tab, or an action or setting of a page.
pub(crate) struct Searchable {
    pub(crate) page: &'static Page,
    pub(crate) label: &'static str,
    /// Other words for which the search finds it.
    pub(crate) words: &'static str,
}

/// What the search finds besides tabs. Each line has the path of a page, what is there, and other words for it.
const SEARCHED: &str = include_str!("searched.txt");

/// The tabs of a table of pages.
#[derive(Clone, Copy)]
pub(crate) struct Tabs(pub &'static [Page]);

impl Signed {
    /// Returns the tabs of the console.
    pub(crate) fn tabs(&self) -> Tabs {
        Tabs(self.browser.pages.console)
    }
}

impl Tabs {
    /// Returns the tabs of the account or of operators, whose pages are below `root`.
    pub(crate) fn below(self, root: &str, current: &str) -> Vec<Section> {
        self.tabs(root).into_iter().map(|page| section(page, page.path.to_owned(), current)).collect()
    }

    /// Returns the tabs of a team or project that the person may open.
    pub(crate) fn of(self, permitted: Permitted, scope: ResourceScope, current: &str) -> Vec<Section> {
        let section = |page: &'static Page| section(page, address_in(scope, page), current);
        self.shown(scope, permitted).into_iter().map(section).collect()
    }

    /// Returns the address of the first page of a team or project that the person may open.
    pub(crate) fn entry_of(self, permitted: Permitted, scope: ResourceScope) -> Option<String> {
        self.shown(scope, permitted).first().map(|page| address_in(scope, page))
    }

    fn shown(self, scope: ResourceScope, permitted: Permitted) -> Vec<&'static Page> {
        let mut shown = self.tabs(root(scope));
        shown.retain(|page| self.is_open(page, scope, permitted));
        shown
    }

    /// Whether the person may open a page of a team or project. Deletion is a tab only for people without the settings.
    pub(crate) fn is_open(self, page: &Page, scope: ResourceScope, permitted: Permitted) -> bool {
        let is_settings = |page: &&Page| page.tab == Tab::Settings && permitted.may(page.operation);
        permitted.may(page.operation) && (page.tab != Tab::Delete || !self.tabs(root(scope)).iter().any(is_settings))
    }

    /// Returns the pages, actions and settings below an address that the search can find.
    pub(crate) fn searchable(self, root: &str) -> Vec<Searchable> {
        let tab = |page: &'static Page| Searchable { page, label: page.tab.label(), words: page.tab.words() };
        let lines = SEARCHED.lines().filter(|line| line.starts_with(root)).filter_map(|line| {
            let (path, rest) = line.split_once(" | ")?;
            let (label, words) = rest.split_once(" |")?;
            Some(Searchable { page: self.0.iter().find(|page| page.path == path)?, label, words })
        });
        self.tabs(root).into_iter().map(tab).chain(lines).collect()
    }

    /// Returns the pages that the tabs below an address open, in the order of the tabs: the first page of each tab.
    fn tabs(self, root: &str) -> Vec<&'static Page> {
        let is_below =
            |path: &str| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let mut pages: Vec<&Page> = self.0.iter().filter(|page| page.tab != Tab::None && is_below(page.path)).collect();
        pages.sort_by_key(|page| page.tab);
        pages.dedup_by_key(|page| page.tab);
        pages
    }
}

fn section(page: &Page, address: String, current: &str) -> Section {
    let label = page.tab.label();
    Section { label, icon: page.tab.icon(), address, is_current: label == current }
}

fn root(scope: ResourceScope) -> &'static str {
    match scope {
        ResourceScope::Team(_) => "/console/teams/{team}",
        ResourceScope::Project(_) => "/console/projects/{project}",
    }
}

/// Returns the address of a page of a team or project.
pub(crate) fn address_in(scope: ResourceScope, page: &Page) -> String {
    match scope {
        ResourceScope::Team(id) => page.path.replace("{team}", &id.to_string()),
        ResourceScope::Project(id) => page.path.replace("{project}", &id.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::kernel::policy::Permission;
    use steward_domain::kernel::{ProjectId, TeamId};

    use super::*;
    use crate::console::PAGES;

    #[test]
    fn every_line_of_what_is_searched_names_a_page() {
        for line in SEARCHED.lines() {
            let (path, rest) = line.split_once(" | ").unwrap();
            assert!(PAGES.iter().any(|page| page.path == path) && rest.contains(" |"), "{line}");
        }
    }

    #[test]
    fn deletion_has_a_tab_only_without_the_settings() {
        let tabs = |permissions: &[Permission]| -> Vec<&str> {
            let permitted = Permitted::with(permissions.iter().copied().collect());
            let id = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";
            let (team, project) = (TeamId::parse(id).unwrap(), ProjectId::parse(id).unwrap());
            let of_team = Tabs(PAGES).shown(ResourceScope::Team(team), permitted);
            let of_project = Tabs(PAGES).shown(ResourceScope::Project(project), permitted);
            of_team.into_iter().chain(of_project).map(|page| page.path.rsplit('}').next().unwrap()).collect()
        };
        // Everyone may see the schema.
        assert_eq!(tabs(&[Permission::TeamDelete]), ["/delete", "/schema"]);
        assert_eq!(tabs(&[Permission::ProjectDelete]), ["/schema", "/delete"]);
        let both = tabs(&Permission::ALL);
        assert!(both.contains(&"/settings") && !both.contains(&"/delete"), "{both:?}");
    }
}
