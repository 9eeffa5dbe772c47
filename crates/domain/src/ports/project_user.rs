//! Reading project users.

use async_trait::async_trait;

use crate::model::{
    AccountId, ActivityCounts, ActivityWindow, Day, Page, PageRequest, ProjectId, ProjectUser, ProjectUserId, Time,
    UserFilter,
};

use super::StoreError;

/// Reads the users of a project.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ProjectUserReader: Send + Sync {
    /// Those of the project's users who are wanted, newest first. Every character of a search stands for itself.
    async fn users(
        &self,
        project: ProjectId,
        filter: &UserFilter,
        page: &PageRequest,
    ) -> Result<Page<ProjectUser>, StoreError>;

    /// How many users the project has, and how many of them were active when. Each counts once in every span.
    async fn activity(&self, project: ProjectId, window: &ActivityWindow) -> Result<ActivityCounts, StoreError>;

    /// On which days the user was active, the oldest first.
    async fn active_days(&self, project: ProjectId, user: ProjectUserId) -> Result<Vec<Day>, StoreError>;

    /// One user of the project. MUST be `None` for another project's.
    async fn user(&self, project: ProjectId, id: ProjectUserId) -> Result<Option<ProjectUser>, StoreError>;

    /// The account's part in the project. At most one is there.
    async fn user_of(&self, project: ProjectId, account: AccountId) -> Result<Option<ProjectUser>, StoreError>;
}

/// Keeps when people use projects. Nobody did anything, so it is no change and leaves no event; it may be lost.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait UserSightings: Send + Sync {
    /// Notes that a user was here at this moment, and on its day (UTC). MUST NOT move `last_seen_at` back. Changes no
    /// revision. Of a user who is gone nothing is noted.
    async fn record_seen(&self, project: ProjectId, user: ProjectUserId, at: Time) -> Result<(), StoreError>;
}
