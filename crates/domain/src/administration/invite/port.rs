//! Reading invites.

use async_trait::async_trait;

use crate::administration::{Invite, InviteWithTeam, Recipient};
use crate::kernel::{AccountId, InviteId, Page, PageRequest, StoreError, TeamId, Time};

/// Reads invites.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InviteReader: Send + Sync {
    /// Returns the team's invites that are pending and not expired at `now`, newest first.
    async fn pending_invites(&self, team: TeamId, now: Time, page: &PageRequest) -> Result<Page<Invite>, StoreError>;

    /// Returns the invites of all teams for any of these recipients that are pending and not expired at `now`, newest
    /// first.
    async fn pending_invites_naming(
        &self,
        recipients: &[Recipient],
        now: Time,
        page: &PageRequest,
    ) -> Result<Page<InviteWithTeam>, StoreError>;

    /// Returns all invites that this account created in the team and that are pending and not expired at `now`, ordered
    /// by ID. A quota limits their number.
    async fn pending_invites_by(&self, team: TeamId, account: AccountId, now: Time) -> Result<Vec<Invite>, StoreError>;

    /// Returns the invite with this ID in any team, because its recipient knows only the ID.
    async fn invite(&self, id: InviteId) -> Result<Option<Invite>, StoreError>;

    /// Returns the team's pending invite for this recipient, expired or not. There is at most one.
    async fn pending_invite_for(&self, team: TeamId, recipient: &Recipient) -> Result<Option<Invite>, StoreError>;
}
