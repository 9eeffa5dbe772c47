//! Reading teams and their members.

use async_trait::async_trait;

use crate::model::{AccountId, Member, Page, PageRequest, Slug, Team, TeamId, TeamMembership};

use super::StoreError;

/// Reads teams and their members.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait TeamReader: Send + Sync {
    /// The teams the account is a member of, the one joined first first.
    async fn teams_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<TeamMembership>, StoreError>;

    /// The team with this id.
    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError>;

    /// Which of these slugs teams have, or had: a slug stays its team's as long as the team is there.
    async fn taken_team_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError>;

    /// The team's members, oldest first.
    async fn members(&self, team: TeamId, page: &PageRequest) -> Result<Page<Member>, StoreError>;

    /// One member of the team.
    async fn member(&self, team: TeamId, account: AccountId) -> Result<Option<Member>, StoreError>;
}
