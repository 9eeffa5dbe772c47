//! Reading teams and their members.

use async_trait::async_trait;

use crate::administration::{Member, MemberWithAccount, Team, TeamContents, TeamMembership};
use crate::kernel::{AccountId, Name, Page, PageRequest, Slug, StoreError, TeamId, Time};

/// Reads teams and their members.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TeamReader: Send + Sync {
    /// Returns the teams of which the account is a member, in the order in which it joined them. MUST leave out those
    /// that require a second factor at `one_factor_at`, if that is given.
    async fn teams_of(
        &self,
        account: AccountId,
        one_factor_at: Option<Time>,
        page: &PageRequest,
    ) -> Result<Page<TeamMembership>, StoreError>;

    /// Returns the name of the account's team that requires a second factor from the earliest time on, and that time.
    async fn second_factor_rule(&self, account: AccountId) -> Result<Option<(Time, Name)>, StoreError>;

    /// Returns the team with this ID.
    async fn team(&self, id: TeamId) -> Result<Option<Team>, StoreError>;

    /// Returns the version of the team's contents. The commit of a change that inserts, replaces or removes a member, a
    /// project or an invite of the team MUST increase its revision, at least to that of [`TeamContents::first_at`] the
    /// time of the change.
    async fn team_contents(&self, id: TeamId, now: Time) -> Result<Option<TeamContents>, StoreError>;

    /// Returns which of these slugs are current or previous slugs of teams. A slug stays reserved until its team is
    /// deleted.
    async fn taken_team_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError>;

    /// Returns the team's members, oldest first.
    async fn members(&self, team: TeamId, page: &PageRequest) -> Result<Page<Member>, StoreError>;

    /// Returns the team's members with their accounts, oldest first. Deleted accounts are absent.
    async fn members_with_accounts(
        &self,
        team: TeamId,
        page: &PageRequest,
    ) -> Result<Page<MemberWithAccount>, StoreError>;

    /// Returns one member of the team.
    async fn member(&self, team: TeamId, account: AccountId) -> Result<Option<Member>, StoreError>;
}
