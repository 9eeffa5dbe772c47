//! Permissions, named `resource:action`, and permission sets.

use std::fmt;

use crate::kernel::named;

named! {
    /// Permission to perform an action on a kind of resource. Roles list them in this order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    #[expect(missing_docs, reason = "each variant is named after its resource and action")]
    pub enum Permission: "the name, in the form `resource:action`" {
        TeamRead = "team:read",
        TeamWrite = "team:write",
        TeamDelete = "team:delete",
        MemberRead = "member:read",
        MemberWrite = "member:write",
        InviteRead = "invite:read",
        InviteWrite = "invite:write",
        ProjectRead = "project:read",
        ProjectCreate = "project:create",
        ProjectWrite = "project:write",
        ProjectDelete = "project:delete",
        KeyRead = "key:read",
        KeyWrite = "key:write",
        ClientRegister = "client:register",
        SchemaRead = "schema:read",
        SchemaWrite = "schema:write",
        UserRead = "user:read",
        UserWrite = "user:write",
        DbRead = "db:read",
        DbWrite = "db:write",
        AuditRead = "audit:read",
        WebhookRead = "webhook:read",
        WebhookWrite = "webhook:write",
    }
}

impl Permission {
    #[expect(clippy::as_conversions, reason = "the discriminant of a unit enum is its index in the list")]
    const fn bit(self) -> u32 {
        1 << (self as u32)
    }

    /// Returns whether the permission only allows reading.
    pub fn is_read(self) -> bool {
        self.as_str().ends_with(":read")
    }

    /// Returns the part of the name before the colon.
    pub fn resource(self) -> &'static str {
        self.as_str().split(':').next().unwrap_or_default()
    }

    /// Returns the permission that this one implies: `write` implies `read` of the same resource.
    fn implied(self) -> Option<Self> {
        let read = self.as_str().strip_suffix(":write")?;
        Self::ALL.iter().copied().find(|other| other.is_read() && other.resource() == read)
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of permissions that also contains all implied permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PermissionSet(u32);

impl PermissionSet {
    /// Returns the set of all permissions.
    pub fn all() -> Self {
        Permission::ALL.iter().copied().collect()
    }

    /// Returns whether the set contains the permission.
    pub const fn has(self, permission: Permission) -> bool {
        self.0 & permission.bit() != 0
    }

    /// Returns the set with a permission, and what it implies, added.
    pub fn with(self, permission: Permission) -> Self {
        let implied = permission.implied().map_or(0, Permission::bit);
        Self(self.0 | permission.bit() | implied)
    }

    /// Returns the permissions that are in either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the permissions that are in both sets.
    pub const fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the permissions of this set that `other` does not contain, in the order of [`Permission::ALL`].
    pub fn missing_from(self, other: Self) -> Vec<Permission> {
        self.iter().filter(|permission| !other.has(*permission)).collect()
    }

    /// Iterates over the permissions in the order of [`Permission::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL.iter().copied().filter(move |permission| self.has(*permission))
    }
}

impl FromIterator<Permission> for PermissionSet {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        permissions.into_iter().fold(Self::default(), Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_implies_read_of_the_same_resource_and_nothing_else() {
        let set = PermissionSet::default().with(Permission::KeyWrite);
        assert!(set.has(Permission::KeyRead) && set.has(Permission::KeyWrite));
        assert_eq!(set.iter().count(), 2);
        let create = PermissionSet::default().with(Permission::ProjectCreate);
        assert_eq!(create.iter().collect::<Vec<_>>(), [Permission::ProjectCreate]);
    }

    #[test]
    fn every_permission_has_its_own_bit() {
        assert_eq!(PermissionSet::all().iter().count(), Permission::ALL.len());
        for permission in Permission::ALL {
            assert_eq!(Permission::parse(permission.as_str()), Some(permission));
        }
    }
}
