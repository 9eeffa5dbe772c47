//! Reading accounts.

use async_trait::async_trait;

use crate::data::ProjectUser;
use crate::identity::{Account, AccountFilter, Email, Username};
use crate::kernel::{AccessEpoch, AccountId, Page, PageRequest, ServerKeyId, StoreError, TeamId, Time};

/// Reads accounts. Methods MUST NOT return deleted accounts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AccountReader: Send + Sync {
    /// Returns the account with this ID.
    async fn account(&self, id: AccountId) -> Result<Option<Account>, StoreError>;

    /// Returns the account of a token that this key signed, and its access epoch. `None` also if the key is no longer stored.
    async fn signed_account(
        &self,
        id: AccountId,
        signed_by: ServerKeyId,
    ) -> Result<Option<(Account, AccessEpoch)>, StoreError>;

    /// Returns the account with this email, compared case-insensitively.
    async fn account_by_email(&self, email: &Email) -> Result<Option<Account>, StoreError>;

    /// Returns the account with this username, compared case-insensitively.
    async fn account_by_username(&self, username: &Username) -> Result<Option<Account>, StoreError>;

    /// Returns the accounts that match the filter, oldest first.
    async fn accounts(&self, filter: &AccountFilter, page: &PageRequest) -> Result<Page<Account>, StoreError>;

    /// Returns whether an account was ever stored. MUST stay true after all accounts are deleted.
    async fn had_account(&self) -> Result<bool, StoreError>;
}

/// Finds accounts whose deletion has started, and finds and removes their data outside the account itself.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AccountCleanup: Send + Sync {
    /// Returns the account with the next higher ID than `after` whose deletion started before `started_before` and is
    /// not complete.
    async fn account_to_delete(
        &self,
        after: Option<AccountId>,
        started_before: Time,
    ) -> Result<Option<AccountId>, StoreError>;

    /// Returns the account whose removal of factors is due at `now` for the longest time.
    async fn account_with_due_removal(&self, now: Time) -> Result<Option<AccountId>, StoreError>;

    /// Returns at most `limit` project users of the account in projects that are not deleted, each with the project's
    /// team.
    async fn users_of(&self, account: AccountId, limit: u16) -> Result<Vec<(TeamId, ProjectUser)>, StoreError>;

    /// Examines at most `limit` events that belong to no team, after the position `after`: those that can concern the account.
    /// Removes everything but IDs from those of which it is the actor or target. Returns the position of the last examined
    /// event, or `None` if there was none.
    async fn clear_account_events(&self, account: AccountId, after: i64, limit: u16)
    -> Result<Option<i64>, StoreError>;
}
