//! What a caller may know of: the one query before the work.

use async_trait::async_trait;

use crate::model::{
    AccessBasis, AccountId, KeyBearer, KeyDigest, ProjectId, ProjectMembership, TeamId, TeamMembership,
};

use super::StoreError;

/// Reads what access is decided by. Each MUST be one round trip, and MUST see every commit that was acknowledged before:
/// a change of roles holds from the very next request on.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AccessReader: Send + Sync {
    /// The team and the account's part in it. `None` when there is no such team, or the account is no member.
    async fn team_membership(&self, account: AccountId, team: TeamId) -> Result<Option<TeamMembership>, StoreError>;

    /// The project, its team, and the account's part in that team. `None` when there is no such project, or the account is
    /// no member.
    async fn project_membership(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<ProjectMembership>, StoreError>;

    /// Whether the store has the epochs and the key that a decision rests on.
    async fn is_current(&self, basis: &AccessBasis) -> Result<bool, StoreError>;

    /// The key with one of these digests, with its project and team. At most one has.
    async fn key_bearer(&self, digests: &[KeyDigest]) -> Result<Option<KeyBearer>, StoreError>;
}
