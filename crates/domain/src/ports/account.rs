//! Reading accounts.

use async_trait::async_trait;

use crate::model::{Account, AccountId, Email, Username};

use super::StoreError;

/// Reads accounts.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AccountReader: Send + Sync {
    /// The account with this id.
    async fn account(&self, id: AccountId) -> Result<Option<Account>, StoreError>;

    /// The account with this email, compared without letter case.
    async fn account_by_email(&self, email: &Email) -> Result<Option<Account>, StoreError>;

    /// The account with this username, compared without letter case.
    async fn account_by_username(&self, username: &Username) -> Result<Option<Account>, StoreError>;
}
