//! Roles: named permission sets, and the comma-separated `roles` of members, invites and keys.

use std::collections::BTreeSet;
use std::fmt;

use crate::kernel::named;
use crate::kernel::violations::{most_similar, quoted};

use super::{Permission, PermissionSet};

use Permission as P;

named! {
    /// A named set of permissions of a team member.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Role: "the name used in the API and in the database" {
        /// All permissions. A team always has at least one owner.
        Owner = "owner",
        /// All permissions except to delete the team and to change owners.
        Admin = "admin",
        /// Can develop projects and list the members of the team.
        Developer = "developer",
        /// Can read everything except items and the audit log.
        Viewer = "viewer",
    }
}

const DEVELOPER: &[Permission] = &[
    P::TeamRead,
    P::MemberRead,
    P::InviteRead,
    P::ProjectRead,
    P::ProjectCreate,
    P::ProjectWrite,
    P::KeyWrite,
    P::ClientRegister,
    P::SchemaWrite,
    P::UserWrite,
    P::DbWrite,
    P::WebhookWrite,
];

impl Role {
    /// Returns the name shown to people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Owner => "Owner",
            Self::Admin => "Admin",
            Self::Developer => "Developer",
            Self::Viewer => "Viewer",
        }
    }

    /// Returns the permissions of the role.
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

/// Why a `roles` string is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRoles {
    /// The list is empty.
    #[error("must contain at least one of: {allowed}")]
    Empty {
        /// Comma-separated allowed names.
        allowed: String,
    },
    /// The list contains an unknown name.
    #[error("contains `{name}`, which is unknown{suggestion}. It must be a comma-separated list of: {allowed}")]
    Unknown {
        /// The unknown name, shortened.
        name: String,
        /// The known name that may be meant, as the message adds it. Empty without one.
        suggestion: String,
        /// Comma-separated allowed names.
        allowed: String,
    },
}

/// A name in a list of roles that stands for several permissions.
pub trait NamedRole: Copy + 'static {
    /// All of them.
    const ROLES: &'static [Self];
    /// The permissions that such a list can name, too.
    const SINGLES: &'static [Permission];

    /// Returns the name.
    fn name(self) -> &'static str;

    /// Returns the permissions that the name stands for.
    fn granted(self) -> PermissionSet;
}

impl NamedRole for Role {
    const ROLES: &'static [Self] = &Self::ALL;
    const SINGLES: &'static [Permission] = &Permission::ALL;

    fn name(self) -> &'static str {
        self.as_str()
    }

    fn granted(self) -> PermissionSet {
        self.permissions()
    }
}

/// A list of roles: their names, and individual permissions. It grants the union of the permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles<R> {
    roles: Vec<R>,
    singles: Vec<Permission>,
    /// Names that a newer version stored. They are preserved and grant no permissions.
    unknown: Vec<String>,
    /// The union of all permissions.
    permissions: PermissionSet,
}

/// The roles of a member or an invite: role names and individual permissions.
pub type RoleSet = Roles<Role>;

/// The roles of an API key: permissions of its project, and the shorthands `admin`, `write` and `read`.
pub type KeyRoles = Roles<Shorthand>;

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

impl<R: NamedRole> Roles<R> {
    /// Returns the names that a list can have: of roles or shorthands, and of permissions.
    pub fn names() -> Vec<&'static str> {
        let singles = R::SINGLES.iter().map(|single| single.as_str());
        R::ROLES.iter().map(|role| role.name()).chain(singles).collect()
    }

    /// Parses a comma-separated list of these names.
    pub fn parse(text: &str) -> Result<Self, InvalidRoles> {
        let names = Self::names();
        let unknown = |part: &str| {
            let suggestion = most_similar(part, &names).map(|name| format!(" (did you mean `{name}`?)"));
            let (name, suggestion) = (quoted(part), suggestion.unwrap_or_default());
            InvalidRoles::Unknown { name, suggestion, allowed: names.join(", ") }
        };
        let index = |part: &str| names.iter().position(|name| *name == part).ok_or_else(|| unknown(part));
        let indexes = parts(text).map(index).collect::<Result<BTreeSet<usize>, _>>()?;
        if indexes.is_empty() {
            return Err(InvalidRoles::Empty { allowed: names.join(", ") });
        }
        let roles = indexes.iter().filter_map(|index| R::ROLES.get(*index).copied()).collect();
        let single = |index: &usize| R::SINGLES.get(index.checked_sub(R::ROLES.len())?).copied();
        Ok(Self::of(roles, indexes.iter().filter_map(single).collect(), Vec::new()))
    }

    /// Parses a stored list. Names that this version does not know grant no permissions.
    fn stored(text: &str) -> Self {
        let (known, unknown): (Vec<&str>, Vec<&str>) = parts(text).partition(|name| Self::parse(name).is_ok());
        let none = Self::of(Vec::new(), Vec::new(), Vec::new());
        let unknown = unknown.into_iter().map(str::to_owned).collect();
        Self { unknown, ..Self::parse(&known.join(",")).unwrap_or(none) }
    }

    fn of(roles: Vec<R>, singles: Vec<Permission>, unknown: Vec<String>) -> Self {
        let own: PermissionSet = singles.iter().copied().collect();
        let permissions = roles.iter().fold(own, |set, role| set.union(role.granted()));
        Self { roles, singles, unknown, permissions }
    }

    /// Returns the union of all permissions.
    pub fn permissions(&self) -> PermissionSet {
        self.permissions
    }
}

impl<R: NamedRole> fmt::Display for Roles<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roles = self.roles.iter().map(|role| role.name());
        let singles = self.singles.iter().map(|single| single.as_str());
        let names: Vec<&str> = roles.chain(singles).chain(self.unknown.iter().map(String::as_str)).collect();
        f.write_str(&names.join(","))
    }
}

impl RoleSet {
    /// Returns the roles of the account that creates a team.
    pub fn owner() -> Self {
        Self::of(vec![Role::Owner], Vec::new(), Vec::new())
    }

    /// Parses a stored list. Names that this version does not know grant no permissions.
    pub fn from_stored(text: &str) -> Self {
        Self::stored(text)
    }

    /// Returns whether a member with these roles can invite someone with the roles `offered`.
    pub fn may_invite_into(&self, offered: &Self) -> bool {
        let held = self.permissions();
        let grants_more =
            !offered.permissions().missing_from(held).is_empty() || offered.is_owner() && !self.is_owner();
        held.has(P::InviteWrite) && !grants_more
    }

    /// Returns whether webhooks can send events on behalf of a member with these roles.
    pub fn may_authorize_webhooks(&self) -> bool {
        self.permissions().has(P::WebhookWrite)
    }

    /// Returns the name shown to people: that of the role, or `Custom` for any other combination
    /// (docs/contract.md#roles).
    pub fn title(&self) -> &'static str {
        match self.roles.as_slice() {
            [role] if self.singles.is_empty() && self.unknown.is_empty() => role.title(),
            _ => "Custom",
        }
    }

    /// Returns whether the roles include `owner`.
    pub fn is_owner(&self) -> bool {
        self.roles.contains(&Role::Owner)
    }
}

/// Permissions that an API key can have: those in its own project, and reading its team.
const KEY_PERMISSIONS: &[Permission] = &[
    P::TeamRead,
    P::MemberRead,
    P::InviteRead,
    P::ProjectRead,
    P::ProjectWrite,
    P::KeyRead,
    P::ClientRegister,
    P::SchemaRead,
    P::SchemaWrite,
    P::UserRead,
    P::UserWrite,
    P::DbRead,
    P::DbWrite,
    P::AuditRead,
];

/// Permissions that a public key can have. Everyone can see such a key, so it shows nothing of users, items, keys and
/// members: browsers read those with the token of the signed-in user.
const PUBLIC_KEY_PERMISSIONS: &[Permission] = &[P::ProjectRead, P::SchemaRead];

named! {
    /// A name that stands for several permissions of an API key.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Shorthand: "the name used in the API and in the database" {
        /// All that a key can have.
        Admin = "admin",
        /// To change schemas, users and items.
        Write = "write",
        /// To read everything except the audit log, as the role `viewer` of members does.
        Read = "read",
    }
}

impl NamedRole for Shorthand {
    const ROLES: &'static [Self] = &Self::ALL;
    const SINGLES: &'static [Permission] = KEY_PERMISSIONS;

    fn name(self) -> &'static str {
        self.as_str()
    }

    fn granted(self) -> PermissionSet {
        let all = KEY_PERMISSIONS.iter().copied();
        match self {
            Self::Admin => all.collect(),
            Self::Write => [P::SchemaWrite, P::UserWrite, P::DbWrite].into_iter().collect(),
            Self::Read => all.filter(|p| p.is_read() && *p != P::AuditRead).collect(),
        }
    }
}

impl KeyRoles {
    /// Parses a stored list. Names that this version does not know grant no permissions, and a public key that was
    /// stored with more permissions than it may have keeps only the others.
    pub fn from_stored(text: &str, is_private: bool) -> Self {
        let stored = Self::stored(text);
        if stored.suit(is_private) { stored } else { stored.restricted_to_public() }
    }

    /// Returns whether a key can have these roles. A public one can have few.
    pub fn suit(&self, is_private: bool) -> bool {
        is_private || self.permissions().iter().all(|permission| PUBLIC_KEY_PERMISSIONS.contains(&permission))
    }

    /// Returns the permissions that a public key can have, in the order in which roles list them.
    pub const fn of_public_keys() -> &'static [Permission] {
        PUBLIC_KEY_PERMISSIONS
    }

    fn restricted_to_public(self) -> Self {
        let held = self.permissions();
        let singles = PUBLIC_KEY_PERMISSIONS.iter().copied().filter(|permission| held.has(*permission)).collect();
        Self::of(Vec::new(), singles, self.unknown)
    }

    /// Parses the roles in the `scope` of a client that acts on its own behalf, which are separated by spaces.
    pub fn from_scope(scope: &str) -> Result<Self, InvalidRoles> {
        Self::parse(&scope.split(' ').filter(|name| !name.is_empty()).collect::<Vec<_>>().join(","))
    }

    /// Returns the roles as the `scope` of a token: separated by spaces.
    pub fn scope(&self) -> String {
        self.to_string().replace(',', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_role_is_named_with_what_may_be_meant() {
        let message = |text| RoleSet::parse(text).unwrap_err().to_string();
        assert!(
            message("viewer,veiwer").starts_with("contains `veiwer`, which is unknown (did you mean `viewer`?). It")
        );
        assert!(
            message("xyz").starts_with("contains `xyz`, which is unknown. It must be a comma-separated list of: owner")
        );
        assert!(KeyRoles::parse("reed").unwrap_err().to_string().contains("did you mean `read`?"));
        assert!(message(&"x".repeat(10_000)).len() < 1_000);
    }

    #[test]
    fn roles_are_formatted_in_a_fixed_order_without_duplicates() {
        let roles = RoleSet::parse(" db:read ,viewer, admin,viewer,, key:write ").unwrap();
        assert_eq!(roles.to_string(), "admin,viewer,key:write,db:read");
        assert_eq!(RoleSet::parse(&roles.to_string()).unwrap(), roles);
        assert_eq!(KeyRoles::parse("db:read, read,write").unwrap().to_string(), "write,read,db:read");
    }

    #[test]
    fn a_single_role_has_its_own_title_and_every_other_combination_is_custom() {
        for (roles, title) in [
            ("owner", "Owner"),
            ("admin", "Admin"),
            ("developer", "Developer"),
            ("viewer", "Viewer"),
            ("viewer,db:read", "Custom"),
            ("developer,viewer", "Custom"),
            ("db:read", "Custom"),
            ("viewer,auditor", "Custom"),
        ] {
            assert_eq!(RoleSet::from_stored(roles).title(), title, "{roles}");
        }
    }

    #[test]
    fn a_member_can_only_invite_with_permissions_that_they_have() {
        let roles = |text: &str| RoleSet::parse(text).unwrap();
        for (inviter, offered, allowed) in [
            ("owner", "owner", true),
            ("admin", "admin", true),
            ("admin", "owner", false),
            ("admin,team:delete", "owner", false),
            ("viewer,invite:write", "viewer", true),
            ("viewer,invite:write", "developer", false),
            ("developer", "viewer", false),
            ("invite:write", "invite:read", true),
        ] {
            assert_eq!(roles(inviter).may_invite_into(&roles(offered)), allowed, "{inviter} invites as {offered}");
        }
        assert!(roles("developer").may_authorize_webhooks() && !roles("viewer").may_authorize_webhooks());
    }

    #[test]
    fn unknown_and_empty_roles_are_rejected_with_the_allowed_names() {
        for invalid in ["", " , ", "king", "owner,king", "Owner", "db:*"] {
            let error = RoleSet::parse(invalid).unwrap_err().to_string();
            assert!(error.contains("owner, admin, developer, viewer"), "{error}");
        }
        for invalid in ["owner", "key:write", "project:create", "project:delete", "member:write", ""] {
            assert!(KeyRoles::parse(invalid).is_err(), "{invalid:?}");
        }
    }

    #[test]
    fn names_stored_by_a_newer_version_are_preserved_and_grant_nothing() {
        let roles = RoleSet::from_stored("auditor,viewer,vault:read");
        assert_eq!(roles.to_string(), "viewer,auditor,vault:read");
        assert_eq!(roles.permissions(), Role::Viewer.permissions());
        assert_eq!(RoleSet::from_stored("vault:read").permissions(), PermissionSet::default());
        assert_eq!(RoleSet::from_stored("owner").to_string(), RoleSet::owner().to_string());
        let key = KeyRoles::from_stored("vault:read,db:read", true);
        assert_eq!(
            (key.to_string().as_str(), key.permissions()),
            ("db:read,vault:read", KeyRoles::parse("db:read").unwrap().permissions())
        );
    }

    #[test]
    fn a_stored_public_key_keeps_only_what_a_public_key_may_have() {
        for (stored, kept) in [
            ("read", "project:read,schema:read"),
            ("admin", "project:read,schema:read"),
            ("write", "schema:read"),
            ("db:read,user:read", ""),
            ("project:read,key:read,vault:read", "project:read,vault:read"),
            ("schema:read", "schema:read"),
        ] {
            let (public, private) = (KeyRoles::from_stored(stored, false), KeyRoles::from_stored(stored, true));
            assert_eq!(public.to_string(), kept, "{stored}");
            assert!(public.suit(false) && public.permissions().missing_from(private.permissions()).is_empty());
            let limit: PermissionSet = KeyRoles::of_public_keys().iter().copied().collect();
            assert_eq!(public.permissions(), private.permissions().both(limit), "{stored}");
            assert!(private.suit(true));
        }
    }

    /// Compares the whole matrix with `matrix.txt`, so that every change shows up in review.
    #[test]
    fn the_role_and_permission_matrix_matches_the_golden_file() {
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
