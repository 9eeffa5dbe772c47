//! Reading projects.

use async_trait::async_trait;

use crate::model::{AccountId, Page, PageRequest, ProjectId, ProjectInTeam, Slug, TeamId};

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

    /// Which of these slugs projects have, or had: a slug stays its project's as long as the project is there.
    async fn taken_project_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError>;
}
