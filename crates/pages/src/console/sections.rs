//! The tabs of teams, projects, the account and operators, in their order. A tab of a team or project is shown if the
//! person may perform the operation of its page.

use steward_domain::policy::Operation;

use super::permitted::Permitted;
use super::scope::{ProjectScope, TeamScope};
use super::shell::Section;

struct Tab {
    label: &'static str,
    /// Relative to the address of the team or project.
    path: &'static str,
    /// The operation that the page performs to show its content.
    operation: Operation,
}

/// Order: Overview, Members, Invites, Webhooks, Audit log, Settings.
const OF_TEAM: &[Tab] = &[
    Tab { label: "Overview", path: "", operation: Operation::TeamGet },
    Tab { label: "Members", path: "/members", operation: Operation::MemberList },
    Tab { label: "Invites", path: "/invites", operation: Operation::InviteList },
    Tab { label: "Webhooks", path: "/webhooks", operation: Operation::TeamWebhookList },
    Tab { label: "Audit log", path: "/audit", operation: Operation::TeamAudit },
    Tab { label: "Settings", path: "/settings", operation: Operation::TeamUpdate },
];

/// Order: Overview, Data, Schema, Keys, Webhooks, Audit log, Sign-in, Settings.
const OF_PROJECT: &[Tab] = &[
    Tab { label: "Overview", path: "", operation: Operation::ProjectGet },
    Tab { label: "Data", path: "/users", operation: Operation::UserList },
    Tab { label: "Schema", path: "/schema", operation: Operation::SchemaGet },
    Tab { label: "Keys", path: "/keys", operation: Operation::KeyList },
    Tab { label: "Webhooks", path: "/webhooks", operation: Operation::ProjectWebhookList },
    Tab { label: "Audit log", path: "/audit", operation: Operation::ProjectAudit },
    Tab { label: "Sign-in", path: "/sign-in", operation: Operation::SettingsGet },
    Tab { label: "Settings", path: "/settings", operation: Operation::ProjectUpdate },
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

pub(super) fn of_team(scope: &TeamScope, current: &str) -> Vec<Section> {
    sections(OF_TEAM, scope.permitted, current, |path| scope.at(path))
}

pub(super) fn of_project(scope: &ProjectScope, current: &str) -> Vec<Section> {
    sections(OF_PROJECT, scope.permitted, current, |path| scope.at(path))
}

fn sections(tabs: &[Tab], permitted: Permitted, current: &str, at: impl Fn(&str) -> String) -> Vec<Section> {
    let shown = tabs.iter().filter(|tab| permitted.may(tab.operation));
    shown.map(|tab| Section { label: tab.label, address: at(tab.path), is_current: tab.label == current }).collect()
}
