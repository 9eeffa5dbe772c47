//! Members: accounts that belong to a team.

use crate::policy::RoleSet;

use super::{AccountId, Revision, RoleName, TeamId, Time};

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
