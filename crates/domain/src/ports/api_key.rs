//! Reading API keys.

use async_trait::async_trait;

use crate::model::{AccountId, ApiKey, ApiKeyId, Page, PageRequest, ProjectId, TeamId};

use super::StoreError;

/// Reads the API keys of a project.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ApiKeyReader: Send + Sync {
    /// The project's keys, newest first.
    async fn keys(&self, project: ProjectId, page: &PageRequest) -> Result<Page<ApiKey>, StoreError>;

    /// One key of the project. MUST be `None` for another project's.
    async fn key(&self, project: ProjectId, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError>;

    /// The keys of the team's projects that the account made or last gave a new value, newest first; at most 1,000.
    async fn keys_created_by(&self, team: TeamId, account: AccountId) -> Result<Vec<ApiKey>, StoreError>;
}
