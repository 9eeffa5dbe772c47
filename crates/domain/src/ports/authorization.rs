//! Reading what signing in leaves behind: requests, codes, grants, tokens, sessions, links.

use async_trait::async_trait;
use chrono::TimeDelta;

use crate::model::{
    AccountId, AuthorizationCode, AuthorizationRequest, EmailLink, FamilyOfAccount, Grant, GrantedProject,
    KNOWN_BROWSER_TTL, ProjectId, REFRESH_GRACE, RefreshToken, ServerKeyId, SignedIn, Time, TokenDigest, TokenFamily,
    TokenFamilyId, UserBearer,
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
pub trait ExpirySweeper: Send + Sync {
    /// Removes at most `most` things of a kind that ended before a time. How many it worked on. MUST NOT look at more than
    /// about as many: what lives on is not visited again and again.
    async fn sweep(&self, kind: Expiring, before: Time, most: u16) -> Result<usize, StoreError>;
}

/// What expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the name is the meaning")]
pub enum Expiring {
    AuthorizationRequests,
    Sessions,
    EmailLinks,
    IdempotencyClaims,
    PersonalTokens,
    AuthorizationCodes,
    RefreshTokens,
    /// Families that are left without refresh tokens.
    TokenFamilies,
    /// Attempts to deliver to webhooks, by when they were made.
    Deliveries,
    /// The answers that replaced refresh tokens kept, by when they were replaced.
    RefreshAnswers,
    /// Attempts that are at rest.
    Attempts,
    /// Networks that accounts were signed in from, by when that was last.
    SignInNetworks,
}

impl Expiring {
    /// All of them, in the order in which they go.
    pub const ALL: [Self; 12] = [
        Self::AuthorizationRequests,
        Self::Sessions,
        Self::EmailLinks,
        Self::IdempotencyClaims,
        Self::PersonalTokens,
        Self::AuthorizationCodes,
        Self::RefreshTokens,
        Self::TokenFamilies,
        Self::Deliveries,
        Self::RefreshAnswers,
        Self::Attempts,
        Self::SignInNetworks,
    ];

    /// How long it is kept after its end: a code or token is told from one that never was for a day.
    pub const fn kept_for(self) -> TimeDelta {
        match self {
            Self::AuthorizationRequests
            | Self::Sessions
            | Self::EmailLinks
            | Self::IdempotencyClaims
            | Self::PersonalTokens
            | Self::Attempts => TimeDelta::zero(),
            Self::AuthorizationCodes | Self::RefreshTokens | Self::TokenFamilies => TimeDelta::days(1),
            Self::Deliveries => TimeDelta::days(30),
            Self::RefreshAnswers => REFRESH_GRACE,
            Self::SignInNetworks => KNOWN_BROWSER_TTL,
        }
    }
}
