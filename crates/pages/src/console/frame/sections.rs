//! The tabs of teams, projects, the account and operators, as the table of pages names them. A tab of a team or project
//! is shown if the person may perform the operation of its page. The settings link to deletion; people without them get
//! a tab for it.

use steward_domain::kernel::{ProjectId, TeamId};

use crate::page::Page;
use crate::tab::Tab;

use super::permitted::Permitted;
use super::signed::Signed;

/// A tab of a team or project.
pub(crate) struct Section {
    pub(crate) label: &'static str,
    pub(crate) address: String,
    pub(crate) is_current: bool,
}

/// The settings on pages of teams, with their tabs.
const TEAM_SETTINGS: &[(&str, Tab)] = &[
    ("Name", Tab::Settings),
    ("Slug", Tab::Settings),
    ("Second factor required from", Tab::Settings),
    ("Delete the team", Tab::Settings),
];

/// The settings on pages of projects, with their tabs.
const PROJECT_SETTINGS: &[(&str, Tab)] = &[
    ("Redirect URIs", Tab::SignIn),
    ("Post-logout redirect URIs", Tab::SignIn),
    ("Back-channel logout URI", Tab::SignIn),
    ("Codes by email", Tab::SignIn),
    ("Second factor required from", Tab::SignIn),
    ("Identity providers", Tab::SignIn),
    ("Clients", Tab::SignIn),
    ("Refused requests", Tab::SignIn),
    ("Accent color", Tab::SignIn),
    ("Background color", Tab::SignIn),
    ("Terms of service", Tab::SignIn),
    ("Privacy policy", Tab::SignIn),
    ("Require PKCE", Tab::SignIn),
    ("Legacy scopes", Tab::SignIn),
    ("Name", Tab::Settings),
    ("Slug", Tab::Settings),
    ("Website", Tab::Settings),
    ("URL of the icon", Tab::Settings),
    ("URL of the background image", Tab::Settings),
    ("Images", Tab::Settings),
    ("Delete the project", Tab::Settings),
];

const TEAM: &str = "/console/teams/{team}";
const PROJECT: &str = "/console/projects/{project}";

/// A page or a setting that a search can find.
pub(crate) struct SearchablePage {
    pub label: &'static str,
    pub address: String,
}

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
    pub(crate) fn of_account(self, current: &str) -> Vec<Section> {
        self.below("/console/account", current)
    }

    pub(crate) fn of_operator(self, current: &str) -> Vec<Section> {
        self.below("/console/operator", current)
    }

    fn below(self, root: &str, current: &str) -> Vec<Section> {
        self.tabs(root).into_iter().map(|page| section(page, page.path.to_owned(), current)).collect()
    }

    pub(crate) fn of_team(self, permitted: Permitted, id: TeamId, current: &str) -> Vec<Section> {
        let section = |page: &'static Page| section(page, address_in_team(page, id), current);
        self.shown(TEAM, permitted).into_iter().map(section).collect()
    }

    pub(crate) fn of_project(self, permitted: Permitted, id: ProjectId, current: &str) -> Vec<Section> {
        let section = |page: &'static Page| section(page, address_in_project(page, id), current);
        self.shown(PROJECT, permitted).into_iter().map(section).collect()
    }

    /// Returns the address of the first page of a team that the person may open.
    pub(crate) fn entry_of_team(self, permitted: Permitted, id: TeamId) -> Option<String> {
        self.shown(TEAM, permitted).first().map(|page| address_in_team(page, id))
    }

    /// Returns the address of the first page of a project that the person may open.
    pub(crate) fn entry_of_project(self, permitted: Permitted, id: ProjectId) -> Option<String> {
        self.shown(PROJECT, permitted).first().map(|page| address_in_project(page, id))
    }

    fn shown(self, root: &str, permitted: Permitted) -> Vec<&'static Page> {
        let mut shown: Vec<_> = self.tabs(root).into_iter().filter(|page| permitted.may(page.operation)).collect();
        if shown.iter().any(|page| page.tab == Tab::Settings) {
            shown.retain(|page| page.tab != Tab::Delete);
        }
        shown
    }

    /// Returns the pages of the person's account, and those of operators.
    pub(crate) fn searchable(self, is_operator: bool) -> impl Iterator<Item = SearchablePage> {
        let operator = if is_operator { self.of_operator("") } else { Vec::new() };
        let pages = self.of_account("").into_iter().chain(operator);
        pages.map(|section| SearchablePage { label: section.label, address: section.address })
    }

    /// Returns the pages and settings of a team that the person may open.
    pub(crate) fn searchable_of_team(self, permitted: Permitted, id: TeamId) -> impl Iterator<Item = SearchablePage> {
        searchable_tabs(self.shown(TEAM, permitted), TEAM_SETTINGS, move |page| address_in_team(page, id))
    }

    /// Returns the pages and settings of a project that the person may open.
    pub(crate) fn searchable_of_project(
        self,
        permitted: Permitted,
        id: ProjectId,
    ) -> impl Iterator<Item = SearchablePage> {
        searchable_tabs(self.shown(PROJECT, permitted), PROJECT_SETTINGS, move |page| address_in_project(page, id))
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
    Section { label, address, is_current: label == current }
}

fn address_in_team(page: &Page, id: TeamId) -> String {
    page.path.replace("{team}", &id.to_string())
}

fn address_in_project(page: &Page, id: ProjectId) -> String {
    page.path.replace("{project}", &id.to_string())
}

fn searchable_tabs(
    tabs: Vec<&'static Page>,
    settings: &'static [(&'static str, Tab)],
    address: impl Fn(&Page) -> String,
) -> impl Iterator<Item = SearchablePage> {
    let of_tab = |page: &'static Page| {
        let settings = settings.iter().filter(|(_, tab)| *tab == page.tab).map(|(label, _)| *label);
        std::iter::once(page.tab.label()).chain(settings).map(move |label| (label, page))
    };
    tabs.into_iter().flat_map(of_tab).map(move |(label, page)| SearchablePage { label, address: address(page) })
}

#[cfg(test)]
mod tests {
    use steward_domain::kernel::policy::Permission;

    use super::*;
    use crate::console::PAGES;

    #[test]
    fn deletion_has_a_tab_only_without_the_settings() {
        let tabs = |permissions: &[Permission]| -> Vec<&str> {
            let permitted = Permitted::with(permissions.iter().copied().collect());
            let all = Tabs(PAGES).shown(TEAM, permitted).into_iter().chain(Tabs(PAGES).shown(PROJECT, permitted));
            all.map(|page| page.path.rsplit('}').next().unwrap()).collect()
        };
        // Everyone may see the schema.
        assert_eq!(tabs(&[Permission::TeamDelete]), ["/delete", "/schema"]);
        assert_eq!(tabs(&[Permission::ProjectDelete]), ["/schema", "/delete"]);
        let both = tabs(&Permission::ALL);
        assert!(both.contains(&"/settings") && !both.contains(&"/delete"), "{both:?}");
    }
}
