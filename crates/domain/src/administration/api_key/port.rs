//! Reading API keys.

use async_trait::async_trait;

use crate::administration::ApiKey;
use crate::kernel::{AccountId, ApiKeyId, Named, Page, PageRequest, ProjectId, StoreError, TeamId};

/// Reads the API keys of a project.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ApiKeyReader: Send + Sync {
    /// Returns the project's keys, newest first.
    async fn keys(&self, project: ProjectId, page: &PageRequest) -> Result<Page<ApiKey>, StoreError>;

    /// Returns the labels and hints of at most `limit` keys of any of these projects, newest first. MUST NOT return keys
    /// of other projects.
    async fn key_labels(&self, projects: &[ProjectId], limit: u16) -> Result<Vec<Named>, StoreError>;

    /// Returns one key of the project. MUST return `None` for a key of another project.
    async fn key(&self, project: ProjectId, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError>;

    /// Returns all keys of the team's projects that the account created or last regenerated, newest first. Quotas limit
    /// their number.
    async fn keys_created_by(&self, team: TeamId, account: AccountId) -> Result<Vec<ApiKey>, StoreError>;
}
