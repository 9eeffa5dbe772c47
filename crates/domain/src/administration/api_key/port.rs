//! Reading API keys.

use async_trait::async_trait;

use crate::administration::ApiKey;
use crate::data::UserSearch;
use crate::kernel::{AccountId, ApiKeyId, Page, PageRequest, ProjectId, StoreError, TeamId};

/// How many keys [`ApiKeyReader::find_keys`] searches.
pub const MAX_SEARCHED_KEYS: u16 = 10_000;

/// Reads the API keys of a project.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ApiKeyReader: Send + Sync {
    /// Returns the project's keys, newest first.
    async fn keys(&self, project: ProjectId, page: &PageRequest) -> Result<Page<ApiKey>, StoreError>;

    /// Returns at most `limit` keys of any of these projects whose label or hint contains the text, ignoring case, newest
    /// first. Only the newest [`MAX_SEARCHED_KEYS`] keys are searched. MUST NOT return keys of other projects.
    async fn find_keys(
        &self,
        projects: &[ProjectId],
        search: &UserSearch,
        limit: u16,
    ) -> Result<Vec<ApiKey>, StoreError>;

    /// Returns one key of the project. MUST return `None` for a key of another project.
    async fn key(&self, project: ProjectId, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError>;

    /// Returns all keys of the team's projects that the account created or last regenerated, newest first. Quotas limit
    /// their number.
    async fn keys_created_by(&self, team: TeamId, account: AccountId) -> Result<Vec<ApiKey>, StoreError>;
}
