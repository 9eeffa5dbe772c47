//! Reading what signing in leaves behind: requests, codes, grants, tokens, sessions, links.

use async_trait::async_trait;
use chrono::TimeDelta;

use crate::model::{
    AccountId, AuthorizationCode, AuthorizationRequest, EmailLink, FamilyOfAccount, Grant, GrantedProject, KNOWN_TTL,
    ProjectId, REFRESH_GRACE, RefreshToken, ServerKeyId, SignedIn, Time, TokenDigest, TokenFamily, TokenFamilyId,
    UserBearer,
};

use super::StoreError;

/// Reads what signing in leaves behind. Whether it is good still is for the domain to say; a store gives what is there.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AuthorizationReader: Send + Sync {
    /// The request with this one-time id.
    async fn authorization_request(&self, digest: &TokenDigest) -> Result<Option<AuthorizationRequest>, StoreError>;

    /// The code.
    async fn authorization_code(&self, digest: &TokenDigest) -> Result<Option<AuthorizationCode>, StoreError>;

    /// What the account allowed the project. At most one is there.
    async fn grant(&self, account: AccountId, project: ProjectId) -> Result<Option<Grant>, StoreError>;

    /// Everything that the account allowed, newest first; at most 1,000.
    async fn grants_of(&self, account: AccountId) -> Result<Vec<GrantedProject>, StoreError>;

    /// The refresh token and its family.
    async fn refresh_token(&self, digest: &TokenDigest) -> Result<Option<(RefreshToken, FamilyOfAccount)>, StoreError>;

    /// The family. MUST see every commit that was acknowledged before: a revocation holds from the very next request on.
    /// With the key that signed the token at hand it MUST be `None` when that key is not stored any more.
    async fn token_family(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<FamilyOfAccount>, StoreError>;

    /// The account's families of this service's own client that are not revoked and have a refresh token that is good at
    /// `now`, newest first; at most 1,000.
    async fn first_party_families(&self, account: AccountId, now: Time) -> Result<Vec<TokenFamily>, StoreError>;

    /// The family, and its account as a user of the project that it is for, in one round trip. `None` when one of them is
    /// missing, or the key that signed the token. MUST see every commit that was acknowledged before.
    async fn user_bearer(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<(FamilyOfAccount, UserBearer)>, StoreError>;

    /// The session of the browser with this cookie.
    async fn session(&self, digest: &TokenDigest) -> Result<Option<SignedIn>, StoreError>;

    /// The account's sessions, newest first; at most 1,000.
    async fn sessions_of(&self, account: AccountId) -> Result<Vec<SignedIn>, StoreError>;

    /// The link.
    async fn email_link(&self, digest: &TokenDigest) -> Result<Option<EmailLink>, StoreError>;
}

/// Removes what has expired and no longer means anything. Not recorded: nobody did it.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Sweeper: Send + Sync {
    /// Removes at most `most` of each kind of thing that means nothing any more. How many went.
    ///
    /// Requests, links and sessions that ended before `now`; codes, refresh tokens and families without any that ended
    /// before `forgotten`; attempts to tell webhooks from before `delivered`; and of refresh tokens replaced before
    /// `unanswered` the answers that they kept; attempts at rest; and networks that nobody signed in from since `unseen`.
    async fn sweep(&self, moments: &SweepMoments, most: u16) -> Result<usize, StoreError>;
}

/// Up to when things are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "`Sweeper::sweep` says what each is for")]
pub struct SweepMoments {
    pub now: Time,
    pub forgotten: Time,
    pub delivered: Time,
    pub unanswered: Time,
    pub unseen: Time,
}

impl SweepMoments {
    /// What holds at this moment: a code or token is told from one that never was for a day after its end.
    pub fn at(now: Time) -> Self {
        Self {
            now,
            forgotten: now - TimeDelta::days(1),
            delivered: now - TimeDelta::days(30),
            unanswered: now - REFRESH_GRACE,
            unseen: now - KNOWN_TTL,
        }
    }
}
