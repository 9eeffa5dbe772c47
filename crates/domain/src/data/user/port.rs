//! Reading project users.

use async_trait::async_trait;

use crate::administration::{ActivityCounts, ActivityWindow, Day};
use crate::data::{ProjectUser, UserFilter, UserSearch};
use crate::identity::Email;
use crate::kernel::{AccountId, Page, PageRequest, ProjectId, ProjectUserId, StoreError, TeamId, Time};

/// Reads the users of a project.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ProjectUserReader: Send + Sync {
    /// Returns the project's users that match the filter, newest first. The search text has no wildcards; a whole address
    /// also finds the user who granted it.
    async fn users(
        &self,
        project: ProjectId,
        filter: &UserFilter,
        page: &PageRequest,
    ) -> Result<Page<ProjectUser>, StoreError>;

    /// Returns at most `limit` users of any of these projects that match the search, as in [`users`](Self::users), newest
    /// first. MUST NOT return users of other projects.
    async fn find_users(
        &self,
        projects: &[ProjectId],
        search: &UserSearch,
        limit: u16,
    ) -> Result<Vec<ProjectUser>, StoreError>;

    /// Returns the current addresses of these accounts, of those that granted the scope `email` to the project. In any
    /// order. There are at most as many accounts as a page has entries.
    async fn granted_emails(
        &self,
        project: ProjectId,
        accounts: &[AccountId],
    ) -> Result<Vec<(AccountId, Email)>, StoreError>;

    /// Returns the number of users and the number of active users in each period. A user counts at most once per
    /// period.
    async fn activity(&self, project: ProjectId, window: &ActivityWindow) -> Result<ActivityCounts, StoreError>;

    /// Returns the days (UTC) on which the user was active, oldest first.
    async fn active_days(&self, project: ProjectId, user: ProjectUserId) -> Result<Vec<Day>, StoreError>;

    /// Returns one user of the project. MUST return `None` for a user of another project.
    async fn user(&self, project: ProjectId, id: ProjectUserId) -> Result<Option<ProjectUser>, StoreError>;

    /// Returns the users of the project with these IDs, in any order. There are at most as many as a page has entries.
    async fn users_with_ids(&self, project: ProjectId, ids: &[ProjectUserId]) -> Result<Vec<ProjectUser>, StoreError>;

    /// Returns the account's user in the project. There is at most one.
    async fn user_of(&self, project: ProjectId, account: AccountId) -> Result<Option<ProjectUser>, StoreError>;

    /// Returns at most `limit` users of the account in projects that are not deleted, ordered by the ID of the project,
    /// after the user in the project `after`.
    async fn users_of_account(
        &self,
        account: AccountId,
        after: Option<ProjectId>,
        limit: u16,
    ) -> Result<Vec<ProjectUser>, StoreError>;
}

/// Finds users whose deletion has started.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UserCleanup: Send + Sync {
    /// Returns the user with the next higher ID than `after` whose deletion started before `started_before` and is not
    /// complete, with the project's team. MUST NOT return users of deleted projects.
    async fn user_to_delete(
        &self,
        after: Option<ProjectUserId>,
        started_before: Time,
    ) -> Result<Option<(TeamId, ProjectUser)>, StoreError>;
}

/// Records when users are active. This is no change by a caller, so it writes no audit event. Updates may be lost.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UserActivityRecorder: Send + Sync {
    /// Records that a user was active at `at` and on that day (UTC). MUST NOT set `last_seen_at` to an earlier time.
    /// Does not change the revision. Does nothing if the user no longer exists.
    async fn record_seen(&self, project: ProjectId, user: ProjectUserId, at: Time) -> Result<(), StoreError>;
}
