//! Members: accounts with a part in a team.

use crate::policy::RoleSet;

use super::{AccountId, Revision, RoleName, TeamId, Time};

/// An account's part in a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The team.
    pub team_id: TeamId,
    /// The account.
    pub account_id: AccountId,
    /// What the member may do.
    pub roles: RoleSet,
    /// What people call the part; grants nothing.
    pub role_name: RoleName,
    /// When the account joined.
    pub created_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}
