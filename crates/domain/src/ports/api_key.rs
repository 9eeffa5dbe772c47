//! Reading API keys.

use async_trait::async_trait;

use crate::model::{AccountId, ApiKey, ApiKeyId, Page, PageRequest, ProjectId, TeamId};

use super::StoreError;

/// Reads the API keys of a project.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ApiKeyReader: Send + Sync {
    /// Returns the project's keys, newest first.
    async fn keys(&self, project: ProjectId, page: &PageRequest) -> Result<Page<ApiKey>, StoreError>;

    /// Returns one key of the project. MUST return `None` for a key of another project.
    async fn key(&self, project: ProjectId, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError>;

    /// Returns all keys of the team's projects that the account created or last regenerated, newest first. Quotas limit
    /// their number.
    async fn keys_created_by(&self, team: TeamId, account: AccountId) -> Result<Vec<ApiKey>, StoreError>;
}
