//! Reading projects.

use async_trait::async_trait;

use crate::administration::{Day, DeletedProject, Image, ProjectInTeam, ProjectUsage};
use crate::kernel::{AccountId, Page, PageRequest, ProjectId, Slug, StoreError, TeamId, Time};

/// Reads projects.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ProjectReader: Send + Sync {
    /// Returns the projects of every team of which the account is a member, newest first. MUST leave out those of teams
    /// that require a second factor at `one_factor_at`, if that is given.
    async fn projects_of(
        &self,
        account: AccountId,
        one_factor_at: Option<Time>,
        page: &PageRequest,
    ) -> Result<Page<ProjectInTeam>, StoreError>;

    /// Returns the projects of the team, newest first.
    async fn projects_in(&self, team: TeamId, page: &PageRequest) -> Result<Page<ProjectInTeam>, StoreError>;

    /// Returns the project with this ID without an access check. Use it only for public data.
    async fn project(&self, id: ProjectId) -> Result<Option<ProjectInTeam>, StoreError>;

    /// Returns the project's usage of its quotas. The numbers are exact, because a change and its count are stored
    /// atomically.
    async fn project_usage(&self, id: ProjectId) -> Result<ProjectUsage, StoreError>;

    /// Returns the number of requests to the project of each day since `since`, oldest first. Days without requests are
    /// missing.
    async fn project_requests(&self, id: ProjectId, since: Day) -> Result<Vec<(Day, u64)>, StoreError>;

    /// Returns which of these slugs are current or previous slugs of projects. A slug stays reserved until its project
    /// is deleted.
    async fn taken_project_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError>;
}

/// Removes the data of deleted projects. It writes no audit events, because the deletion itself is recorded.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeletedProjects: Send + Sync {
    /// Returns the next deleted project after `after`, ordered by ID, that still has data.
    async fn deleted_project(&self, after: Option<ProjectId>) -> Result<Option<DeletedProject>, StoreError>;

    /// Returns the logos of the project's clients, whose rows are not removed yet.
    async fn logos(&self, project: ProjectId) -> Result<Vec<Image>, StoreError>;

    /// Removes at most `limit` rows of the project's data, and finally the row of the project itself. Returns whether
    /// there is more to remove. MUST NOT change a project that is not deleted.
    async fn remove_data(&self, project: ProjectId, limit: u16) -> Result<bool, StoreError>;
}
