//! What a person may do, so that pages show no control that would be refused.

use steward_domain::kernel::error::{Error, Forbidden};
use steward_domain::kernel::policy::{Callers, Operation, Permission, PermissionSet};

/// The permissions that a person holds in a team and its projects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Permitted(PermissionSet);

impl Permitted {
    /// Returns what these permissions permit.
    pub(crate) fn with(held: PermissionSet) -> Self {
        Self(held)
    }

    /// Returns what the permissions for which `holds` is true permit.
    pub(crate) fn of(holds: impl Fn(Permission) -> bool) -> Self {
        Self(Permission::ALL.iter().copied().filter(|permission| holds(*permission)).collect())
    }

    /// Whether the table of operations permits the operation. Use cases decide by the same table. No role permits the
    /// operations of operators.
    pub(crate) fn may(self, operation: Operation) -> bool {
        let rule = operation.rule();
        let is_for_accounts = matches!(
            rule.callers,
            Callers::Anyone | Callers::Account | Callers::AccountOrKey | Callers::AccountOrUser | Callers::Credential
        );
        is_for_accounts && rule.requirement.permissions().all(|permission| self.0.has(permission))
    }

    /// Refuses to show a form whose operation the person may not perform.
    pub(crate) fn require(self, operation: Operation) -> Result<(), Error> {
        let mut required = operation.rule().requirement.permissions();
        match required.find(|permission| !self.0.has(*permission)) {
            Some(missing) => Err(Error::Forbidden(Forbidden::MissingPermission(missing))),
            None => Ok(()),
        }
    }

    /// Whether the person may grant these permissions: nobody grants more than they hold.
    pub(crate) fn may_grant(self, permissions: PermissionSet) -> bool {
        permissions.missing_from(self.0).is_empty()
    }

    /// Refuses to show a form that grants permissions which the person does not hold.
    pub(crate) fn require_grant(self, permissions: PermissionSet) -> Result<(), Error> {
        let missing = permissions.missing_from(self.0);
        if missing.is_empty() { Ok(()) } else { Err(Error::Forbidden(Forbidden::ExceedsOwnPermissions(missing))) }
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::kernel::policy::RoleSet;

    use super::*;

    #[test]
    fn a_viewer_may_read_and_not_write() {
        let viewer = Permitted::with(RoleSet::from_stored("viewer").permissions());
        assert!(viewer.may(Operation::MemberList) && viewer.may(Operation::TeamCreate));
        assert!(!viewer.may(Operation::MemberUpdate) && !viewer.may(Operation::TeamAudit));
        assert!(viewer.require(Operation::KeyList).is_ok() && viewer.require(Operation::KeyCreate).is_err());
        let granted = |permission: Permission| -> PermissionSet { [permission].into_iter().collect() };
        assert!(viewer.may_grant(granted(Permission::KeyRead)) && !viewer.may_grant(granted(Permission::KeyWrite)));
        assert!(viewer.require_grant(granted(Permission::KeyRead)).is_ok());
        assert!(viewer.require_grant(granted(Permission::KeyWrite)).is_err());
        let owner = Permitted::with(RoleSet::from_stored("owner").permissions());
        assert!(owner.may(Operation::TeamDelete) && !owner.may(Operation::AccountDisable));
    }
}
