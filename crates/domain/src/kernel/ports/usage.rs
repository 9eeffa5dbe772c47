//! When credentials were last used, and how many requests projects received. The data is collected in memory and
//! written in batches.

use async_trait::async_trait;

use crate::administration::RequestCount;
use crate::kernel::{
    AccountId, ApiKeyId, KeyDigest, Locale, PersonalTokenId, PresentedValue, ProjectClientId, RefreshTokenId,
    SessionId, StoreError, Time,
};

/// A credential whose use is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Credential {
    /// A value of an API key.
    Key(ApiKeyId, PresentedValue),
    /// A secret of a client.
    Client(ProjectClientId, PresentedValue),
    /// A personal access token.
    Token(PersonalTokenId),
    /// The session of a browser.
    Session(SessionId),
    /// An access token and the refresh token with this ID, which were issued together.
    Pair(RefreshTokenId),
}

/// The last use of a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialUse {
    /// The credential that was used.
    pub credential: Credential,
    /// When it was last used.
    pub at: Time,
    /// The stored digest of its value, and the digest with a newer pepper that replaces it.
    pub redigested: Option<(KeyDigest, KeyDigest)>,
}

/// Records uses of credentials and numbers of requests. It does not use `UnitOfWork`, because a crash may lose some of
/// the data, and no decision depends on it but one: whether the response with a pair of tokens can have been lost.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UsageRecorder: Send + Sync {
    /// Records the uses. MUST keep the later timestamp if one is already stored, MUST replace a digest only if the old
    /// one is still stored, MUST NOT change revisions, and MUST skip credentials that no longer exist. Of a pair of
    /// tokens, MUST record only the first use, only while its refresh token is not replaced, and MUST change the
    /// revision of this token with it.
    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError>;

    /// Records the language of an account that has none. MUST NOT change its revision.
    async fn record_language(&self, account: AccountId, language: Locale) -> Result<(), StoreError>;

    /// Adds to the numbers of requests. MUST skip projects that no longer exist.
    async fn add_requests(&self, counts: &[RequestCount]) -> Result<(), StoreError>;
}
