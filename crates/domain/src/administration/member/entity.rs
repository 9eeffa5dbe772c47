//! Members: accounts that belong to a team.

use serde_json::json;

use crate::identity::Account;
use crate::kernel::policy::RoleSet;
use crate::kernel::{AccountId, AuditView, Audited, OwnerIds, ResourceKind, Revision, RoleName, TeamId, Time};

/// The membership of an account in a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The team.
    pub team_id: TeamId,
    /// The account.
    pub account_id: AccountId,
    /// The member's roles, which determine the permissions.
    pub roles: RoleSet,
    /// A free-form label for the role. It grants no permissions.
    pub role_name: RoleName,
    /// When the account joined.
    pub created_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

/// A member with the account.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberWithAccount {
    /// The member.
    pub member: Member,
    /// The member's account; `None` while it is being deleted, and for callers that may not see who the members are.
    pub account: Option<Account>,
}

impl RoleName {
    /// Returns the label to show: the name of the roles if the label is empty (docs/contract.md#roles).
    pub fn or_title_of(&self, roles: &RoleSet) -> &str {
        if self.as_str().is_empty() { roles.title() } else { self.as_str() }
    }
}

impl Audited for Member {
    const KIND: ResourceKind = ResourceKind::Member;

    fn owner_ids(&self) -> OwnerIds {
        (Some(self.team_id), None)
    }

    fn audit_view(&self) -> Option<AuditView> {
        AuditView::of(self.account_id, json!({"roles": self.roles.to_string(), "role_name": self.role_name.as_str()}))
    }
}
