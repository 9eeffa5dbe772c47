//! Reading project users.

use async_trait::async_trait;

use crate::model::{AccountId, Page, PageRequest, ProjectId, ProjectUser, ProjectUserId};

use super::StoreError;

/// Reads the users of a project.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ProjectUserReader: Send + Sync {
    /// The project's users, newest first.
    async fn users(&self, project: ProjectId, page: &PageRequest) -> Result<Page<ProjectUser>, StoreError>;

    /// One user of the project. MUST be `None` for another project's.
    async fn user(&self, project: ProjectId, id: ProjectUserId) -> Result<Option<ProjectUser>, StoreError>;

    /// The account's part in the project. At most one is there.
    async fn user_of(&self, project: ProjectId, account: AccountId) -> Result<Option<ProjectUser>, StoreError>;
}
