//! Reading accounts.

use async_trait::async_trait;

use crate::model::{
    Account, AccountFilter, AccountId, Email, Page, PageRequest, ProjectUser, ServerKeyId, TeamId, Username,
};

use super::StoreError;

/// Reads accounts. A deleted account MUST be `None`.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AccountReader: Send + Sync {
    /// The account with this id.
    async fn account(&self, id: AccountId) -> Result<Option<Account>, StoreError>;

    /// The account, for a token that this key signed: `None` also when the key is not stored any more.
    async fn signed_account(&self, id: AccountId, signed_by: ServerKeyId) -> Result<Option<Account>, StoreError>;

    /// The account with this email, compared without letter case.
    async fn account_by_email(&self, email: &Email) -> Result<Option<Account>, StoreError>;

    /// The account with this username, compared without letter case.
    async fn account_by_username(&self, username: &Username) -> Result<Option<Account>, StoreError>;

    /// The accounts that the filter lets through, the oldest first.
    async fn accounts(&self, filter: &AccountFilter, page: &PageRequest) -> Result<Page<Account>, StoreError>;
}

/// What an account left elsewhere, for its deletion.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AccountTraces: Send + Sync {
    /// The account as a user of projects that are there, each with the project's team; at most this many.
    async fn users_of(&self, account: AccountId, most: u16) -> Result<Vec<(TeamId, ProjectUser)>, StoreError>;

    /// Of the events of no team, looks at this many after this place: those that the account is the actor or target of keep
    /// nothing but ids. The place of the last one looked at; `None` when none was left.
    async fn forget_events(&self, account: AccountId, after: i64, most: u16) -> Result<Option<i64>, StoreError>;
}
