//! Roles and permissions as the decisions name them.

use std::collections::BTreeSet;

pub type Permissions = BTreeSet<&'static str>;

pub const TEAM_ROLES: &[&str] = &["owner", "admin", "developer", "viewer"];

pub const KEY_ROLES: &[&str] = &["admin", "write", "read"];

/// Every permission, in the order in which roles are answered.
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

/// What a key can hold, which also is what its role `admin` gives.
const OF_KEYS: &[&str] = &[
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

const NOT_OF_DEVELOPERS: &[&str] =
    &["team:write", "team:delete", "member:write", "invite:write", "project:delete", "audit:read"];

/// Role names and permissions, as they are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    pub text: String,
    pub permissions: Permissions,
}

impl Roles {
    /// The roles of a member; none when they are none.
    pub fn of_member(text: &str) -> Option<Self> {
        Self::read(text, TEAM_ROLES, PERMISSIONS, |role, permission| match role {
            "owner" => true,
            "admin" => permission != "team:delete",
            "developer" => !NOT_OF_DEVELOPERS.contains(&permission),
            _ => permission.ends_with(":read") && !["db:read", "audit:read"].contains(&permission),
        })
    }

    /// The roles of a key; none when they are none.
    pub fn of_key(text: &str) -> Option<Self> {
        Self::read(text, KEY_ROLES, OF_KEYS, |role, permission| match role {
            "admin" => true,
            "write" => ["schema", "user", "db"].contains(&resource(permission)),
            _ => permission.ends_with(":read") && permission != "audit:read",
        })
    }

    fn read(text: &str, names: &[&'static str], all: &[&'static str], gives: fn(&str, &str) -> bool) -> Option<Self> {
        let parts: BTreeSet<&str> = text.split(',').map(str::trim).collect();
        let known: Vec<&'static str> = names.iter().chain(all).copied().filter(|part| parts.contains(part)).collect();
        if known.len() != parts.len() {
            return None;
        }
        let held = |permission: &str| {
            known.iter().any(|part| match part.split_once(':') {
                None => gives(part, permission),
                Some((resource, "write")) => permission == *part || permission == format!("{resource}:read"),
                Some(_) => permission == *part,
            })
        };
        let permissions = all.iter().copied().filter(|permission| held(permission)).collect();
        Some(Self { text: known.join(","), permissions })
    }

    pub fn is_owner(&self) -> bool {
        self.text.split(',').any(|part| part == "owner")
    }
}

fn resource(permission: &str) -> &str {
    permission.split(':').next().unwrap_or_default()
}
