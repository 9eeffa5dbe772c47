//! Reads what access decisions are based on.

use async_trait::async_trait;
use steward_domain::administration::{KeyBearer, ProjectMembership, TeamMembership};
use steward_domain::kernel::{AccessBasis, AccessReader, AccountId, KeyDigest, ProjectId, StoreError, TeamId};

use super::Database;
use super::administration::{api_key, project, team};

#[async_trait]
impl AccessReader for Database {
    async fn team_membership(&self, account: AccountId, id: TeamId) -> Result<Option<TeamMembership>, StoreError> {
        self.read(move |conn| team::membership_of(conn, account, id)).await
    }

    async fn project_membership(
        &self,
        account: AccountId,
        id: ProjectId,
    ) -> Result<Option<ProjectMembership>, StoreError> {
        self.read(move |conn| project::membership_of(conn, account, id)).await
    }

    async fn is_current(&self, basis: &AccessBasis) -> Result<bool, StoreError> {
        self.is_basis_current(basis).await
    }

    async fn key_bearer(&self, digests: &[KeyDigest]) -> Result<Option<KeyBearer>, StoreError> {
        let digests = digests.to_vec();
        self.read(move |conn| api_key::bearer(conn, &digests)).await
    }
}
