//! Reading the memberships and keys that decide access. One query runs before each operation.

use async_trait::async_trait;

use crate::administration::{KeyBearer, ProjectMembership, TeamMembership};
use crate::kernel::{AccessBasis, AccountId, KeyDigest, ProjectId, StoreError, TeamId};

/// Reads the data on which access decisions are based. Each method MUST be one round trip and MUST see every commit
/// that was acknowledged before, so that a change of roles applies to the next request.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AccessReader: Send + Sync {
    /// Returns the team and the account's membership. `None` if the team does not exist or the account is not a member.
    async fn team_membership(&self, account: AccountId, team: TeamId) -> Result<Option<TeamMembership>, StoreError>;

    /// Returns the project, its team and the account's membership of that team. `None` if the project does not exist or
    /// the account is not a member.
    async fn project_membership(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<ProjectMembership>, StoreError>;

    /// Returns whether the epochs and the key on which a decision is based are still the stored ones.
    async fn is_current(&self, basis: &AccessBasis) -> Result<bool, StoreError>;

    /// Returns the key that has one of these digests, with its project and team. At most one key matches.
    async fn key_bearer(&self, digests: &[KeyDigest]) -> Result<Option<KeyBearer>, StoreError>;
}
