//! The roles and permissions that a person may give to a member or an invite, as the choices of a form.

use std::fmt::Display;

use steward_domain::kernel::policy::{Permission, Role, RoleSet};

use crate::console::frame::TeamScope;
use crate::request::form::Form;

/// The choices of the field `roles`. Its template is `role_choices.html`.
pub(crate) struct RoleChoices {
    /// Names and descriptions.
    pub(crate) roles: Vec<(&'static str, String)>,
    pub(crate) permissions: Vec<&'static str>,
}

impl RoleChoices {
    /// Returns what the person may grant: only permissions that they hold, and ownership only as an owner.
    pub(crate) fn of(scope: &TeamScope) -> Self {
        let may_grant = |role: &Role| {
            scope.permitted.may_grant(role.permissions()) && (*role != Role::Owner || scope.roles.is_owner())
        };
        let held = |permission: &Permission| scope.permitted.may_grant([*permission].into_iter().collect());
        Self {
            roles: Role::ALL.into_iter().filter(may_grant).map(choice).collect(),
            permissions: Permission::ALL.iter().copied().filter(held).map(Permission::as_str).collect(),
        }
    }

    /// Returns all roles and permissions, for a credential that has no more than its person.
    pub(crate) fn all() -> Self {
        Self {
            roles: Role::ALL.into_iter().map(choice).collect(),
            permissions: Permission::ALL.iter().copied().map(Permission::as_str).collect(),
        }
    }

    /// Returns those of the roles that the form does not offer, because the person may not grant them.
    pub(crate) fn missing_from(&self, roles: &RoleSet) -> Vec<String> {
        let is_offered = |name: &String| {
            self.roles.iter().any(|(role, _)| role == name) || self.permissions.iter().any(|one| one == name)
        };
        names(roles).into_iter().filter(|name| !is_offered(name)).collect()
    }
}

fn choice(role: Role) -> (&'static str, String) {
    let description = match role {
        Role::Owner => "everything, including deleting the team and changing owners",
        Role::Admin => "everything except deleting the team and changing owners",
        Role::Developer => "develop projects, and see the members of the team",
        Role::Viewer => "read everything except items and the audit log",
    };
    (role.as_str(), format!("{}: {description}", role.title()))
}

/// Returns the names of the roles and permissions in a set.
pub(crate) fn names(roles: &RoleSet) -> Vec<String> {
    roles.to_string().split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns the roles that a form selects.
pub(crate) fn selected<T, E: Display>(form: &Form, parse: impl Fn(&str) -> Result<T, E>) -> Result<T, String> {
    let names: Vec<&str> = form.fields().filter(|(name, _)| *name == "roles").map(|(_, value)| value).collect();
    if names.is_empty() {
        return Err("must contain at least one role or permission".to_owned());
    }
    parse(&names.join(",")).map_err(|error| error.to_string())
}
