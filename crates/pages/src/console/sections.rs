//! The tabs of teams, projects, the account and operators, in their order. A tab of a team or project is shown if the
//! person may perform the operation of its page. The settings link to deletion; people without them get a tab for it.

use steward_domain::model::{ProjectId, TeamId};
use steward_domain::policy::Operation;

use super::permitted::Permitted;

/// A tab of a team or project.
pub(crate) struct Section {
    pub(crate) label: &'static str,
    pub(crate) address: String,
    pub(crate) is_current: bool,
}

struct Tab {
    label: &'static str,
    /// Relative to the address of the team or project.
    path: &'static str,
    /// The operation that the page performs to show its content.
    operation: Operation,
}

/// Order: Overview, Members, Invites, Webhooks, Audit log, Settings or else Delete.
const OF_TEAM: &[Tab] = &[
    Tab { label: "Overview", path: "", operation: Operation::TeamGet },
    Tab { label: "Members", path: "/members", operation: Operation::MemberList },
    Tab { label: "Invites", path: "/invites", operation: Operation::InviteList },
    Tab { label: "Webhooks", path: "/webhooks", operation: Operation::TeamWebhookList },
    Tab { label: "Audit log", path: "/audit", operation: Operation::TeamAudit },
    Tab { label: "Settings", path: "/settings", operation: Operation::TeamUpdate },
    Tab { label: "Delete", path: "/delete", operation: Operation::TeamDelete },
];

/// Order: Overview, Users, Schema, Keys, Webhooks, Audit log, Sign-in, Settings or else Delete.
const OF_PROJECT: &[Tab] = &[
    Tab { label: "Overview", path: "", operation: Operation::ProjectGet },
    Tab { label: "Users", path: "/users", operation: Operation::UserList },
    Tab { label: "Schema", path: "/schema", operation: Operation::SchemaGet },
    Tab { label: "Keys", path: "/keys", operation: Operation::KeyList },
    Tab { label: "Webhooks", path: "/webhooks", operation: Operation::ProjectWebhookList },
    Tab { label: "Audit log", path: "/audit", operation: Operation::ProjectAudit },
    Tab { label: "Sign-in", path: "/sign-in", operation: Operation::SettingsGet },
    Tab { label: "Settings", path: "/settings", operation: Operation::ProjectUpdate },
    Tab { label: "Delete", path: "/delete", operation: Operation::ProjectDelete },
];

/// The settings on pages of teams, with the paths of their tabs.
const TEAM_SETTINGS: &[(&str, &str)] =
    &[("Name", "/settings"), ("Slug", "/settings"), ("Delete the team", "/settings")];

/// The settings on pages of projects, with the paths of their tabs.
const PROJECT_SETTINGS: &[(&str, &str)] = &[
    ("Redirect URIs", "/sign-in"),
    ("Post-logout redirect URIs", "/sign-in"),
    ("Back-channel logout URI", "/sign-in"),
    ("Require PKCE", "/sign-in"),
    ("Legacy scopes", "/sign-in"),
    ("Name", "/settings"),
    ("Slug", "/settings"),
    ("Website", "/settings"),
    ("URL of the icon", "/settings"),
    ("URL of the background image", "/settings"),
    ("Images", "/settings"),
    ("Delete the project", "/settings"),
];

/// The pages of the person's account, and their paths below `/console/account`.
const OF_ACCOUNT: &[(&str, &str)] = &[
    ("Profile", ""),
    ("Email", "/email"),
    ("Password", "/password"),
    ("Sessions", "/sessions"),
    ("Apps", "/apps"),
    ("Tokens", "/tokens"),
    ("Export", "/export"),
    ("Delete", "/delete"),
];

/// The pages of operators, and their paths below `/console/operator`.
const OF_OPERATOR: &[(&str, &str)] = &[
    ("Health", ""),
    ("Accounts", "/accounts"),
    ("Sizes", "/sizes"),
    ("Jobs", "/jobs"),
    ("Settings", "/settings"),
    ("Mail", "/mail"),
];

pub(super) fn of_account(current: &str) -> Vec<Section> {
    below("/console/account", OF_ACCOUNT, current)
}

pub(super) fn of_operator(current: &str) -> Vec<Section> {
    below("/console/operator", OF_OPERATOR, current)
}

fn below(address: &str, pages: &[(&'static str, &str)], current: &str) -> Vec<Section> {
    let section = |&(label, path): &(&'static str, &str)| Section {
        label,
        address: format!("{address}{path}"),
        is_current: label == current,
    };
    pages.iter().map(section).collect()
}

pub(super) fn of_team(permitted: Permitted, id: TeamId, current: &str) -> Vec<Section> {
    sections(OF_TEAM, permitted, current, &format!("/console/teams/{id}"))
}

pub(super) fn of_project(permitted: Permitted, id: ProjectId, current: &str) -> Vec<Section> {
    sections(OF_PROJECT, permitted, current, &format!("/console/projects/{id}"))
}

/// Returns the address of the first page of a team that the person may open.
pub(super) fn entry_of_team(permitted: Permitted, id: TeamId) -> Option<String> {
    shown(OF_TEAM, permitted).first().map(|tab| format!("/console/teams/{id}{}", tab.path))
}

/// Returns the address of the first page of a project that the person may open.
pub(super) fn entry_of_project(permitted: Permitted, id: ProjectId) -> Option<String> {
    shown(OF_PROJECT, permitted).first().map(|tab| format!("/console/projects/{id}{}", tab.path))
}

fn sections(tabs: &'static [Tab], permitted: Permitted, current: &str, address: &str) -> Vec<Section> {
    let section = |tab: &Tab| Section {
        label: tab.label,
        address: format!("{address}{}", tab.path),
        is_current: tab.label == current,
    };
    shown(tabs, permitted).into_iter().map(section).collect()
}

fn shown(tabs: &'static [Tab], permitted: Permitted) -> Vec<&'static Tab> {
    let mut shown: Vec<_> = tabs.iter().filter(|tab| permitted.may(tab.operation)).collect();
    if shown.iter().any(|tab| tab.path == "/settings") {
        shown.retain(|tab| tab.path != "/delete");
    }
    shown
}

/// A page or a setting that a search can find.
pub(super) struct SearchablePage {
    pub label: &'static str,
    pub address: String,
}

/// Returns the pages of the person's account, and those of operators.
pub(super) fn searchable(is_operator: bool) -> impl Iterator<Item = SearchablePage> {
    let operator = if is_operator { of_operator("") } else { Vec::new() };
    let pages = of_account("").into_iter().chain(operator);
    pages.map(|section| SearchablePage { label: section.label, address: section.address })
}

/// Returns the pages and settings of a team that the person may open.
pub(super) fn searchable_of_team(permitted: Permitted, id: TeamId) -> impl Iterator<Item = SearchablePage> {
    searchable_tabs(shown(OF_TEAM, permitted), TEAM_SETTINGS, format!("/console/teams/{id}"))
}

/// Returns the pages and settings of a project that the person may open.
pub(super) fn searchable_of_project(permitted: Permitted, id: ProjectId) -> impl Iterator<Item = SearchablePage> {
    searchable_tabs(shown(OF_PROJECT, permitted), PROJECT_SETTINGS, format!("/console/projects/{id}"))
}

fn searchable_tabs(
    tabs: Vec<&'static Tab>,
    settings: &'static [(&'static str, &'static str)],
    address: String,
) -> impl Iterator<Item = SearchablePage> {
    let of_tab = |tab: &'static Tab| {
        let settings = settings.iter().filter(|(_, path)| *path == tab.path).map(|(label, _)| *label);
        std::iter::once(tab.label).chain(settings).map(|label| (label, tab.path))
    };
    tabs.into_iter()
        .flat_map(of_tab)
        .map(move |(label, path)| SearchablePage { label, address: format!("{address}{path}") })
}

#[cfg(test)]
mod tests {
    use steward_domain::policy::Permission;

    use super::*;

    #[test]
    fn deletion_has_a_tab_only_without_the_settings() {
        let tabs = |permissions: &[Permission]| -> Vec<&str> {
            let permitted = Permitted::with(permissions.iter().copied().collect());
            let all = shown(OF_TEAM, permitted).into_iter().chain(shown(OF_PROJECT, permitted));
            all.map(|tab| tab.path).collect()
        };
        // Everyone may see the schema.
        assert_eq!(tabs(&[Permission::TeamDelete]), ["/delete", "/schema"]);
        assert_eq!(tabs(&[Permission::ProjectDelete]), ["/schema", "/delete"]);
        let both = tabs(Permission::ALL);
        assert!(both.contains(&"/settings") && !both.contains(&"/delete"), "{both:?}");
    }
}
