//! Reading invites.

use async_trait::async_trait;

use crate::model::{AccountId, Invite, InviteId, InviteOfTeam, Page, PageRequest, Recipient, TeamId, Time};

use super::StoreError;

/// Reads invites.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait InviteReader: Send + Sync {
    /// The team's invites that are pending and not expired at `now`, newest first.
    async fn pending_invites(&self, team: TeamId, now: Time, page: &PageRequest) -> Result<Page<Invite>, StoreError>;

    /// Of all teams the invites for any of these recipients that are pending and not expired at `now`, newest first.
    async fn pending_invites_naming(
        &self,
        recipients: &[Recipient],
        now: Time,
        page: &PageRequest,
    ) -> Result<Page<InviteOfTeam>, StoreError>;

    /// The team's invites by this account that are pending and not expired at `now`, in the order of their ids. At most
    /// 1,000.
    async fn pending_invites_by(&self, team: TeamId, account: AccountId, now: Time) -> Result<Vec<Invite>, StoreError>;

    /// The invite with this id, of whatever team: its recipient knows nothing else.
    async fn invite(&self, id: InviteId) -> Result<Option<Invite>, StoreError>;

    /// The team's pending invite for this recipient, expired or not. At most one is there.
    async fn pending_invite_for(&self, team: TeamId, recipient: &Recipient) -> Result<Option<Invite>, StoreError>;
}
