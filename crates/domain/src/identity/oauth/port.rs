//! Reading sign-in data: authorization requests, codes, grants, tokens, sessions and email links.

use async_trait::async_trait;
use chrono::TimeDelta;

use crate::data::{ItemImport, SchemaDraft, UserBearer};
use crate::identity::{
    AuthorizationCode, AuthorizationRequest, DeviceAuthorization, EmailLink, Grant, GrantedProject, KNOWN_BROWSER_TTL,
    REFRESH_GRACE, RefreshToken, SignedIn, TokenFamily, TokenFamilyWithAccount, UserCode,
};
use crate::kernel::{
    AccountId, DeviceAuthorizationId, ProjectId, RefreshTokenId, ServerKeyId, SessionId, StoreError, Time, TokenDigest,
    TokenFamilyId,
};

/// Reads sign-in data. The store returns what is stored; the domain decides whether it is still valid.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AuthorizationReader: Send + Sync {
    /// Returns the authorization request with this digest of its one-time ID.
    async fn authorization_request(&self, digest: &TokenDigest) -> Result<Option<AuthorizationRequest>, StoreError>;

    /// Returns the request of a device.
    async fn device_authorization(&self, which: &DeviceKey) -> Result<Option<DeviceAuthorization>, StoreError>;

    /// Returns the authorization code with this digest.
    async fn authorization_code(&self, digest: &TokenDigest) -> Result<Option<AuthorizationCode>, StoreError>;

    /// Returns at most 1,000 authorization codes of the account for the project, newest first. They are not redeemed,
    /// and valid at `now`.
    async fn redeemable_codes(
        &self,
        account: AccountId,
        project: ProjectId,
        now: Time,
    ) -> Result<Vec<AuthorizationCode>, StoreError>;

    /// Returns the account's grant for the project. There is at most one.
    async fn grant(&self, account: AccountId, project: ProjectId) -> Result<Option<Grant>, StoreError>;

    /// Returns at most 1,000 grants of the account, newest first.
    async fn grants_of(&self, account: AccountId) -> Result<Vec<GrantedProject>, StoreError>;

    /// Returns the refresh token with this digest, and its family.
    async fn refresh_token(
        &self,
        digest: &TokenDigest,
    ) -> Result<Option<(RefreshToken, TokenFamilyWithAccount)>, StoreError>;

    /// Returns the refresh token of a family with this ID.
    async fn refresh_token_of(
        &self,
        family: TokenFamilyId,
        id: RefreshTokenId,
    ) -> Result<Option<RefreshToken>, StoreError>;

    /// Returns the token family. MUST see every commit that was acknowledged before, so that a revocation applies to
    /// the next request. If `signed_by` is given, MUST return `None` if that key is no longer stored.
    async fn token_family(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<TokenFamilyWithAccount>, StoreError>;

    /// Returns at most 1,000 token families of the account for a project, or for first-party clients if it is `None`,
    /// newest first. They are not revoked and have a refresh token that is not replaced and valid at `now`, or have
    /// none and were created within the longest lifetime of access tokens.
    async fn active_families(
        &self,
        account: AccountId,
        project: Option<ProjectId>,
        now: Time,
    ) -> Result<Vec<TokenFamily>, StoreError>;

    /// Returns at most `limit` token families that were issued in a browser session, revoked or not, ordered by ID,
    /// after one with this ID.
    async fn families_of_session(
        &self,
        session: SessionId,
        after: Option<TokenFamilyId>,
        limit: u16,
    ) -> Result<Vec<TokenFamily>, StoreError>;

    /// Returns whether the family has a refresh token that is not replaced and valid at `now`.
    async fn is_refreshable(&self, id: TokenFamilyId, now: Time) -> Result<bool, StoreError>;

    /// Returns the token family and its account as a user of the family's project, in one round trip. `None` if one of
    /// them or the key that signed the token does not exist. MUST see every commit that was acknowledged before.
    async fn user_bearer(
        &self,
        id: TokenFamilyId,
        signed_by: Option<ServerKeyId>,
    ) -> Result<Option<(TokenFamilyWithAccount, UserBearer)>, StoreError>;

    /// Returns the browser session with this digest of its cookie.
    async fn session(&self, digest: &TokenDigest) -> Result<Option<SignedIn>, StoreError>;

    /// Returns at most 1,000 sessions of the account, newest first.
    async fn sessions_of(&self, account: AccountId) -> Result<Vec<SignedIn>, StoreError>;

    /// Returns the account's session with this ID, expired or not.
    async fn session_of(&self, account: AccountId, session: SessionId) -> Result<Option<SignedIn>, StoreError>;

    /// Returns the email link with this digest.
    async fn email_link(&self, digest: &TokenDigest) -> Result<Option<EmailLink>, StoreError>;
}

/// What identifies the request of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum DeviceKey {
    Id(DeviceAuthorizationId),
    DeviceCode(TokenDigest),
    UserCode(UserCode),
}

/// Removes expired data. It writes no audit events, because no caller performs the removal.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ExpirySweeper: Send + Sync {
    /// Removes at most `limit` entries of a kind that expired before a time, and returns how many it processed. MUST
    /// NOT examine many more entries than `limit`, so that entries that are still needed are not read repeatedly.
    async fn sweep(&self, kind: Expiring, before: Time, limit: u16) -> Result<usize, StoreError>;
}

macro_rules! expiring {
    ($($(#[$about:meta])* $kind:ident, $retention:expr;)+) => {
        /// Kinds of data that expire, in the order in which they are removed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names are self-explanatory")]
        pub enum Expiring { $($(#[$about])* $kind,)+ }

        impl Expiring {
            /// All kinds, in the order in which they are removed.
            pub const ALL: [Self; [$(stringify!($kind)),+].len()] = [$(Self::$kind),+];

            /// Returns how long entries are retained after they expire. Codes and tokens are retained for a day, to
            /// distinguish them from those that never existed.
            pub const fn retention(self) -> TimeDelta {
                match self { $(Self::$kind => $retention),+ }
            }
        }
    };
}

expiring! {
    AuthorizationRequests, TimeDelta::zero();
    DeviceAuthorizations, TimeDelta::zero();
    Sessions, TimeDelta::zero();
    EmailLinks, TimeDelta::zero();
    IdempotencyClaims, TimeDelta::zero();
    PersonalTokens, TimeDelta::zero();
    AuthorizationCodes, TimeDelta::days(1);
    RefreshTokens, TimeDelta::days(1);
    /// Token families without remaining refresh tokens.
    TokenFamilies, TimeDelta::days(1);
    /// Webhook delivery attempts, by the time of the attempt.
    Deliveries, TimeDelta::days(30);
    /// Stored responses of replaced refresh tokens, by the time of the replacement.
    RefreshResponses, REFRESH_GRACE;
    /// Rate limit counters that have fully recovered.
    RateLimitCounters, TimeDelta::zero();
    /// Networks from which accounts were signed in to, by the time of the last sign-in.
    SignInNetworks, KNOWN_BROWSER_TTL;
    /// Rejected changes of devices, by the time of the rejection.
    SyncRejections, TimeDelta::days(30);
    /// Numbers of requests, by their day.
    RequestCounts, TimeDelta::days(366);
    /// Days on which users were active. Statistics cover the last 365.
    UserActivity, TimeDelta::days(366);
    /// Invites, by the time until which they were valid, also those that ended earlier.
    Invites, TimeDelta::days(90);
    /// Logout tokens, by the time at which they were due: an attempt postpones it by hours at most.
    LogoutDeliveries, TimeDelta::days(7);
    /// Deletions of items that can no longer be undone.
    ItemDeletions, TimeDelta::zero();
    /// Imports of items that have ended, by the time of their end.
    ItemImports, ItemImport::RETENTION;
    /// Drafts of schemas, by the time of their last change.
    SchemaDrafts, TimeDelta::days(SchemaDraft::MAX_DAYS);
    /// Clients that registered themselves and to which no sign-in is left, by the time of the registration. They are marked
    /// as deleted.
    SelfRegisteredClients, TimeDelta::days(1);
    /// Deleted clients, after the tokens that were issued to them.
    Clients, TimeDelta::zero();
    /// Deleted identity providers, after the identities that are linked to them.
    IdentityProviders, TimeDelta::zero();
}
