//! Roles and permissions (docs/contract.md#roles).

use std::collections::BTreeSet;

pub type Permissions = BTreeSet<&'static str>;

pub const TEAM_ROLES: &[&str] = &["owner", "admin", "developer", "viewer"];

pub const KEY_ROLES: &[&str] = &["admin", "write", "read"];

/// All permissions, in the order in which responses list them.
pub const PERMISSIONS: &[&str] = &[
    "team:read",
    "team:write",
    "team:delete",
    "member:read",
    "member:write",
    "invite:read",
    "invite:write",
    "project:read",
    "project:create",
    "project:write",
    "project:delete",
    "key:read",
    "key:write",
    "schema:read",
    "schema:write",
    "user:read",
    "user:write",
    "db:read",
    "db:write",
    "audit:read",
    "webhook:read",
    "webhook:write",
];

/// Permissions that a key can have, which are also those of its role `admin`.
const KEY_PERMISSIONS: &[&str] = &[
    "team:read",
    "member:read",
    "invite:read",
    "project:read",
    "project:write",
    "key:read",
    "schema:read",
    "schema:write",
    "user:read",
    "user:write",
    "db:read",
    "db:write",
    "audit:read",
];

const DENIED_TO_DEVELOPERS: &[&str] =
    &["team:write", "team:delete", "member:write", "invite:write", "project:delete", "audit:read"];

/// Roles: the text in responses, and the permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    pub text: String,
    pub permissions: Permissions,
}

impl Roles {
    /// Parses the roles of a member; `None` if they are invalid.
    pub fn of_member(text: &str) -> Option<Self> {
        Self::read(text, TEAM_ROLES, PERMISSIONS, |role, permission| match role {
            "owner" => true,
            "admin" => permission != "team:delete",
            "developer" => !DENIED_TO_DEVELOPERS.contains(&permission),
            _ => permission.ends_with(":read") && !["db:read", "audit:read"].contains(&permission),
        })
    }

    /// Parses the roles of a key; `None` if they are invalid.
    pub fn of_key(text: &str) -> Option<Self> {
        Self::read(text, KEY_ROLES, KEY_PERMISSIONS, |role, permission| match role {
            "admin" => true,
            "write" => ["schema", "user", "db"].contains(&resource(permission)),
            _ => permission.ends_with(":read") && permission != "audit:read",
        })
    }

    fn read(
        text: &str,
        names: &[&'static str],
        all: &[&'static str],
        includes: fn(&str, &str) -> bool,
    ) -> Option<Self> {
        let parts: BTreeSet<&str> = text.split(',').map(str::trim).collect();
        let known: Vec<&'static str> = names.iter().chain(all).copied().filter(|part| parts.contains(part)).collect();
        if known.len() != parts.len() {
            return None;
        }
        let held = |permission: &str| {
            known.iter().any(|part| match part.split_once(':') {
                None => includes(part, permission),
                Some((resource, "write")) => permission == *part || permission == format!("{resource}:read"),
                Some(_) => permission == *part,
            })
        };
        let permissions = all.iter().copied().filter(|permission| held(permission)).collect();
        Some(Self { text: known.join(","), permissions })
    }

    /// Returns a role label as responses show it: if it is empty, the name of the role, or `Custom`.
    pub fn shown_label(&self, label: &str) -> String {
        match (label, self.text.as_str()) {
            ("", "owner") => "Owner".to_owned(),
            ("", "admin") => "Admin".to_owned(),
            ("", "developer") => "Developer".to_owned(),
            ("", "viewer") => "Viewer".to_owned(),
            ("", _) => "Custom".to_owned(),
            (label, _) => label.to_owned(),
        }
    }

    pub fn is_owner(&self) -> bool {
        self.text.split(',').any(|part| part == "owner")
    }
}

fn resource(permission: &str) -> &str {
    permission.split(':').next().unwrap_or_default()
}
