//! Reading projects.

use async_trait::async_trait;

use crate::model::{
    AccountId, DeletedProject, Page, PageRequest, ProjectId, ProjectInTeam, ProjectUsage, Slug, TeamId,
};

use super::StoreError;

/// Reads projects.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ProjectReader: Send + Sync {
    /// The projects of every team the account is a member of, newest first.
    async fn projects_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<ProjectInTeam>, StoreError>;

    /// The projects of the team, newest first.
    async fn projects_in(&self, team: TeamId, page: &PageRequest) -> Result<Page<ProjectInTeam>, StoreError>;

    /// The project with this id, whoever asks: for what everybody may see.
    async fn project(&self, id: ProjectId) -> Result<Option<ProjectInTeam>, StoreError>;

    /// What the project keeps of what has a quota. Exact: a change and its count are stored together.
    async fn project_usage(&self, id: ProjectId) -> Result<ProjectUsage, StoreError>;

    /// Which of these slugs projects have, or had: a slug stays its project's as long as the project is there.
    async fn taken_project_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError>;
}

/// Removes what deleted projects leave behind. Not recorded: that they were deleted is.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait DeletedProjects: Send + Sync {
    /// The next deleted project, in the order of their ids, that left something behind.
    async fn deleted_project(&self, after: Option<ProjectId>) -> Result<Option<DeletedProject>, StoreError>;

    /// Removes at most `most` rows of what belonged to the project, and the rest of it when nothing else is left. Whether
    /// there is more. MUST NOT touch a project that is not deleted.
    async fn remove_remains(&self, project: ProjectId, most: u16) -> Result<bool, StoreError>;
}
