//! Roles: named sets of permissions, and the strings in which members, invites and keys carry them.

use std::fmt;

use super::{Permission, PermissionSet};

use Permission as P;

/// A named set of permissions that a member of a team holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Everything. A team always has one.
    Owner,
    /// Everything but deleting the team and touching owners.
    Admin,
    /// Builds projects; sees who is in the team.
    Developer,
    /// Looks at everything but people's data and the audit log.
    Viewer,
}

const DEVELOPER: &[Permission] = &[
    P::TeamRead,
    P::MemberRead,
    P::InviteRead,
    P::ProjectRead,
    P::ProjectCreate,
    P::ProjectWrite,
    P::KeyWrite,
    P::SchemaWrite,
    P::UserWrite,
    P::DbWrite,
    P::WebhookWrite,
];

impl Role {
    /// All of them, the mightiest first.
    pub const ALL: [Self; 4] = [Self::Owner, Self::Admin, Self::Developer, Self::Viewer];

    /// The name on the wire and at rest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Developer => "developer",
            Self::Viewer => "viewer",
        }
    }

    /// What it lets one do.
    pub fn permissions(self) -> PermissionSet {
        let all = Permission::ALL.iter().copied();
        match self {
            Self::Owner => PermissionSet::all(),
            Self::Admin => all.filter(|p| *p != P::TeamDelete).collect(),
            Self::Developer => DEVELOPER.iter().copied().collect(),
            Self::Viewer => all.filter(|p| p.is_read() && !matches!(p, P::DbRead | P::AuditRead)).collect(),
        }
    }
}

/// A `roles` string that names something unknown, or nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRoles {
    /// Nothing is named.
    #[error("must name at least one of: {allowed}")]
    Empty {
        /// What may be named.
        allowed: String,
    },
    /// Something unknown is named.
    #[error("must be a comma-separated list of: {allowed}")]
    Unknown {
        /// What may be named.
        allowed: String,
    },
}

/// Reads a comma-separated list into places of `names`, in their order, without repeats.
fn places(text: &str, names: &[&str]) -> Result<Vec<usize>, InvalidRoles> {
    let allowed = || names.join(", ");
    let mut places = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match names.iter().position(|name| *name == part) {
            Some(place) => places.push(place),
            None => return Err(InvalidRoles::Unknown { allowed: allowed() }),
        }
    }
    places.sort_unstable();
    places.dedup();
    if places.is_empty() {
        return Err(InvalidRoles::Empty { allowed: allowed() });
    }
    Ok(places)
}

/// Parts a stored list into what this version knows and what it does not: a newer one may have stored it.
fn known_and_unknown(text: &str, is_known: impl Fn(&str) -> bool) -> (String, Vec<String>) {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let (known, unknown): (Vec<&str>, Vec<&str>) = parts.partition(|part| is_known(part));
    (known.join(","), unknown.into_iter().map(str::to_owned).collect())
}

/// The roles of a member or an invite: role names and single permissions. What they give is the union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleSet {
    roles: Vec<Role>,
    singles: Vec<Permission>,
    /// Stored by a newer version: they are kept, and give nothing here.
    unknown: Vec<String>,
}

impl RoleSet {
    /// The roles of whoever makes a team.
    pub fn owner() -> Self {
        Self { roles: vec![Role::Owner], singles: Vec::new(), unknown: Vec::new() }
    }

    /// Reads a comma-separated list of role names and permissions.
    pub fn parse(text: &str) -> Result<Self, InvalidRoles> {
        let names: Vec<&str> = Role::ALL
            .iter()
            .map(|role| role.as_str())
            .chain(Permission::ALL.iter().map(|permission| permission.as_str()))
            .collect();
        let places = places(text, &names)?;
        let roles = places.iter().filter_map(|place| Role::ALL.get(*place).copied()).collect();
        let singles = places
            .iter()
            .filter_map(|place| place.checked_sub(Role::ALL.len()))
            .filter_map(|place| Permission::ALL.get(place).copied())
            .collect();
        Ok(Self { roles, singles, unknown: Vec::new() })
    }

    /// Reads what is stored. Names that this version does not know give nothing.
    pub fn read(text: &str) -> Self {
        let is_known = |name: &str| Self::parse(name).is_ok();
        let (known, unknown) = known_and_unknown(text, is_known);
        let none = Self { roles: Vec::new(), singles: Vec::new(), unknown: Vec::new() };
        Self { unknown, ..Self::parse(&known).unwrap_or(none) }
    }

    /// What they give.
    pub fn permissions(&self) -> PermissionSet {
        let singles: PermissionSet = self.singles.iter().copied().collect();
        self.roles.iter().fold(singles, |set, role| set.union(role.permissions()))
    }

    /// Whether a member in these roles may invite somebody into `offered`.
    pub fn may_invite_into(&self, offered: &Self) -> bool {
        let held = self.permissions();
        let grants_more =
            !offered.permissions().missing_from(held).is_empty() || offered.is_owner() && !self.is_owner();
        held.has(P::InviteWrite) && !grants_more
    }

    /// Whether webhooks may send events on behalf of a member in these roles.
    pub fn may_authorize_webhooks(&self) -> bool {
        self.permissions().has(P::WebhookWrite)
    }

    /// Whether the holder is an owner of the team.
    pub fn is_owner(&self) -> bool {
        self.roles.contains(&Role::Owner)
    }
}

impl fmt::Display for RoleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roles = self.roles.iter().map(|role| role.as_str());
        let singles = self.singles.iter().map(|single| single.as_str());
        let names: Vec<&str> = roles.chain(singles).chain(self.unknown.iter().map(String::as_str)).collect();
        f.write_str(&names.join(","))
    }
}

/// Permissions that an API key may carry: those of its own project, and looking at its team.
const OF_KEYS: &[Permission] = &[
    P::TeamRead,
    P::MemberRead,
    P::InviteRead,
    P::ProjectRead,
    P::ProjectWrite,
    P::KeyRead,
    P::SchemaRead,
    P::SchemaWrite,
    P::UserRead,
    P::UserWrite,
    P::DbRead,
    P::DbWrite,
    P::AuditRead,
];

/// Short names for several permissions of a key.
const SHORTHANDS: [&str; 3] = ["admin", "write", "read"];

/// The roles of an API key: permissions of its project, and the shorthands `admin`, `write` and `read`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRoles {
    shorthands: Vec<&'static str>,
    singles: Vec<Permission>,
    /// Stored by a newer version: they are kept, and give nothing here.
    unknown: Vec<String>,
}

impl KeyRoles {
    /// Reads a comma-separated list of shorthands and permissions.
    pub fn parse(text: &str) -> Result<Self, InvalidRoles> {
        let names: Vec<&str> =
            SHORTHANDS.into_iter().chain(OF_KEYS.iter().map(|permission| permission.as_str())).collect();
        let places = places(text, &names)?;
        let shorthands = places.iter().filter_map(|place| SHORTHANDS.get(*place).copied()).collect();
        let singles = places
            .iter()
            .filter_map(|place| place.checked_sub(SHORTHANDS.len()))
            .filter_map(|place| OF_KEYS.get(place).copied())
            .collect();
        Ok(Self { shorthands, singles, unknown: Vec::new() })
    }

    /// Reads what is stored. Names that this version does not know give nothing.
    pub fn read(text: &str) -> Self {
        let is_known = |name: &str| Self::parse(name).is_ok();
        let (known, unknown) = known_and_unknown(text, is_known);
        let none = Self { shorthands: Vec::new(), singles: Vec::new(), unknown: Vec::new() };
        Self { unknown, ..Self::parse(&known).unwrap_or(none) }
    }

    /// What they give. `read` leaves out the audit log, as the roles of members do.
    pub fn permissions(&self) -> PermissionSet {
        let singles: PermissionSet = self.singles.iter().copied().collect();
        self.shorthands.iter().fold(singles, |set, shorthand| {
            let more: PermissionSet = match *shorthand {
                "admin" => OF_KEYS.iter().copied().collect(),
                "write" => [P::SchemaWrite, P::UserWrite, P::DbWrite].into_iter().collect(),
                _ => OF_KEYS.iter().copied().filter(|p| p.is_read() && *p != P::AuditRead).collect(),
            };
            set.union(more)
        })
    }
}

impl fmt::Display for KeyRoles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let singles = self.singles.iter().map(|single| single.as_str());
        let names = self.shorthands.iter().copied().chain(singles);
        let names: Vec<&str> = names.chain(self.unknown.iter().map(String::as_str)).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_answered_in_one_order_without_repeats() {
        let roles = RoleSet::parse(" db:read ,viewer, admin,viewer,, key:write ").unwrap();
        assert_eq!(roles.to_string(), "admin,viewer,key:write,db:read");
        assert_eq!(RoleSet::parse(&roles.to_string()).unwrap(), roles);
        assert_eq!(KeyRoles::parse("db:read, read,write").unwrap().to_string(), "write,read,db:read");
    }

    #[test]
    fn nobody_invites_into_more_than_they_hold() {
        let roles = |text: &str| RoleSet::parse(text).unwrap();
        for (maker, offered, may) in [
            ("owner", "owner", true),
            ("admin", "admin", true),
            ("admin", "owner", false),
            ("admin,team:delete", "owner", false),
            ("viewer,invite:write", "viewer", true),
            ("viewer,invite:write", "developer", false),
            ("developer", "viewer", false),
            ("invite:write", "invite:read", true),
        ] {
            assert_eq!(roles(maker).may_invite_into(&roles(offered)), may, "{maker} invites into {offered}");
        }
        assert!(roles("developer").may_authorize_webhooks() && !roles("viewer").may_authorize_webhooks());
    }

    #[test]
    fn unknown_and_empty_roles_are_refused_with_what_is_allowed() {
        for bad in ["", " , ", "king", "owner,king", "Owner", "db:*"] {
            let error = RoleSet::parse(bad).unwrap_err().to_string();
            assert!(error.contains("owner, admin, developer, viewer"), "{error}");
        }
        for bad in ["owner", "key:write", "project:create", "project:delete", "member:write", ""] {
            assert!(KeyRoles::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_a_newer_version_stored_is_kept_and_gives_nothing() {
        let roles = RoleSet::read("auditor,viewer,vault:read");
        assert_eq!(roles.to_string(), "viewer,auditor,vault:read");
        assert_eq!(roles.permissions(), Role::Viewer.permissions());
        assert_eq!(RoleSet::read("vault:read").permissions(), PermissionSet::default());
        assert_eq!(RoleSet::read("owner").to_string(), RoleSet::owner().to_string());
        let key = KeyRoles::read("vault:read,db:read");
        assert_eq!(
            (key.to_string().as_str(), key.permissions()),
            ("db:read,vault:read", KeyRoles::parse("db:read").unwrap().permissions())
        );
    }

    /// The whole matrix, so that any change of it is seen in review.
    #[test]
    fn the_role_and_permission_matrix_is_the_golden_one() {
        let mut matrix = String::from("permission        owner admin developer viewer | key: admin write read\n");
        let key = |text: &str| KeyRoles::parse(text).unwrap().permissions();
        for permission in Permission::ALL.iter().copied() {
            let mark = |set: PermissionSet| if set.has(permission) { "x" } else { "." };
            matrix.push_str(&format!(
                "{:<17} {:<5} {:<5} {:<9} {:<6} |      {:<5} {:<5} {}\n",
                permission.as_str(),
                mark(Role::Owner.permissions()),
                mark(Role::Admin.permissions()),
                mark(Role::Developer.permissions()),
                mark(Role::Viewer.permissions()),
                mark(key("admin")),
                mark(key("write")),
                mark(key("read")),
            ));
        }
        assert_eq!(matrix, include_str!("matrix.txt"));
    }
}
