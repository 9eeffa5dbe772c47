//! Reading personal access tokens.

use async_trait::async_trait;

use crate::model::{AccountId, KeyDigest, Page, PageRequest, PersonalToken, PersonalTokenId};

use super::StoreError;

/// Reads personal access tokens.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PersonalTokenReader: Send + Sync {
    /// The token with one of these digests. At most one has. MUST be `None` for one from before its account's password was
    /// set (who sets a new one ends what others may have made), and for one of a disabled account.
    async fn token_by_digest(&self, digests: &[KeyDigest]) -> Result<Option<PersonalToken>, StoreError>;

    /// The account's tokens, newest first.
    async fn tokens_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<PersonalToken>, StoreError>;

    /// One token of the account. MUST be `None` for another account's.
    async fn token(&self, account: AccountId, id: PersonalTokenId) -> Result<Option<PersonalToken>, StoreError>;
}
