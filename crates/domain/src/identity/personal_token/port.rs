//! Reading personal access tokens.

use async_trait::async_trait;

use crate::identity::{PersonalToken, PersonalTokenBearer};
use crate::kernel::{AccountId, KeyDigest, Page, PageRequest, PersonalTokenId, StoreError};

/// Reads personal access tokens.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PersonalTokenReader: Send + Sync {
    /// Returns the token that has one of these digests. At most one token matches. MUST return `None` if the account is
    /// disabled, or if its password was set after the token was created, because a new password revokes all earlier tokens.
    async fn token_by_digest(&self, digests: &[KeyDigest]) -> Result<Option<PersonalTokenBearer>, StoreError>;

    /// Returns the account's tokens, newest first.
    async fn tokens_of(&self, account: AccountId, page: &PageRequest) -> Result<Page<PersonalToken>, StoreError>;

    /// Returns one token of the account. MUST return `None` for a token of another account.
    async fn token(&self, account: AccountId, id: PersonalTokenId) -> Result<Option<PersonalToken>, StoreError>;
}
