//! Token families: the tokens derived from one sign-in, and the refresh tokens that renew them (RFC 9700 §4.14).

use chrono::TimeDelta;

use crate::identity::{Account, AuthenticationMethods, ClientId, KeyThumbprint, Scope, ScopeSet};
use crate::kernel::policy::{AccountStanding, LastSignIn};
use crate::kernel::{
    AccessEpoch, AccountId, RefreshTokenId, Revision, SessionId, Time, TokenDigest, TokenFamilyId, audited,
};

/// The lifetime of a refresh token (docs/contract.md#tokens).
pub const REFRESH_TTL: TimeDelta = TimeDelta::days(30);
/// How long a replaced refresh token still returns its original response (docs/contract.md#tokens).
pub const REFRESH_GRACE: TimeDelta = TimeDelta::seconds(60);

/// How long the tokens of a family can be renewed (docs/contract.md#tokens). After that the person signs in again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyLifetime {
    /// The time since the sign-in.
    pub total: TimeDelta,
    /// The time without use.
    pub idle: TimeDelta,
}

impl Default for FamilyLifetime {
    fn default() -> Self {
        Self { total: TimeDelta::days(180), idle: TimeDelta::days(60) }
    }
}

impl FamilyLifetime {
    /// Returns when a refresh token expires that is issued now.
    pub fn refresh_token_end(&self, family: &TokenFamily, now: Time) -> Time {
        self.end_of(family).min(now + REFRESH_TTL.min(self.idle))
    }

    /// Returns when the family ends at the latest.
    pub fn end_of(&self, family: &TokenFamily) -> Time {
        let end = family.created_at + self.total;
        family.ends_at.map_or(end, |ends_at| end.min(ends_at))
    }

    /// Returns whether a refresh token can be used at a time. The token may have been issued with another lifetime.
    pub fn allows(&self, family: &TokenFamily, token: &RefreshToken, now: Time) -> bool {
        now < token.expires_at && now < self.end_of(family) && now < token.issued_at + self.idle
    }
}

/// The tokens derived from one sign-in. They are revoked together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenFamily {
    /// Unique ID of the family.
    pub id: TokenFamilyId,
    /// The account that signed in.
    pub account_id: AccountId,
    /// The client that received the tokens.
    pub client: ClientId,
    /// The browser session in which the account signed in; `None` if it signed in without a browser.
    pub session_id: Option<SessionId>,
    /// The scopes of the tokens.
    pub scopes: ScopeSet,
    /// When the person signed in.
    pub authenticated_at: Time,
    /// How the person signed in.
    pub methods: AuthenticationMethods,
    /// When that password was set. Setting a new password invalidates the family.
    pub password_set_at: Time,
    /// When the family was created.
    pub created_at: Time,
    /// When the tokens are no longer renewed; `None` if only the service limits that.
    pub ends_at: Option<Time>,
    /// When the family was revoked; `None` if it was not.
    pub revoked_at: Option<Time>,
    /// When the newest of the pairs of tokens was issued that are [lost](RefreshState::Lost); `None` if none is.
    pub lost_at: Option<Time>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(TokenFamily as TokenFamily of nobody, |family| {
    "account_id": family.account_id.to_string(), "client_id": family.client.as_str(),
    "scope": family.scopes.to_string(), "revoked_at": family.revoked_at.map(|at| at.to_rfc3339()),
    "lost_at": family.lost_at.map(|at| at.to_rfc3339()),
});

impl TokenFamily {
    /// Returns whether the tokens are revoked when their browser session ends. Not those of first-party programs, which
    /// people sign out separately, nor those with which a client keeps access while the person is away (OpenID Connect
    /// Back-Channel Logout 1.0 §2.7).
    pub fn ends_with_session(&self) -> bool {
        self.client.project().is_some() && !self.scopes.has(Scope::OfflineAccess)
    }

    /// Returns whether the tokens of the family are valid for the account in its current state.
    pub fn is_live(&self, account: &Account) -> bool {
        let same_password = self.password_set_at == account.password_set_at;
        self.revoked_at.is_none() && self.account_id == account.id && same_password && account.is_active()
    }

    /// Returns the family after the pair of this refresh token was lost.
    pub fn after_loss_of(&self, pair: &RefreshToken) -> Self {
        Self { lost_at: self.lost_at.max(Some(pair.issued_at)), ..self.clone() }
    }

    /// Returns whether an access token that was issued at this time may be one of a lost pair.
    pub fn may_have_lost(&self, issued_at: Time) -> bool {
        self.lost_at.is_some_and(|lost_at| issued_at <= lost_at)
    }
}

/// Whether a refresh token has been exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefreshState {
    /// The token has not been exchanged.
    Current,
    /// The token has been exchanged for a new pair of tokens.
    Replaced {
        /// When it was exchanged, for the last time.
        at: Time,
        /// The response, encrypted with the token itself. Presenting the token again within the grace period returns
        /// the same response. `None` once the grace period has ended or the next token was used too.
        answer: Option<Vec<u8>>,
        /// The refresh token of the new pair, which can be replaced by another pair if the response with it was
        /// lost. `None` if that has happened, or if an earlier version issued the pair.
        next: Option<RefreshTokenId>,
    },
    /// The response with the pair of the token was lost, and another pair was issued in its place. The access token
    /// of the pair has ended.
    Lost {
        /// When the other pair was issued.
        at: Time,
    },
}

/// A refresh token of a family. It is issued with an access token, whose `jti` is its ID: they are a *pair*.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshToken {
    /// Unique ID of the token.
    pub id: RefreshTokenId,
    /// The family of the token.
    pub family_id: TokenFamilyId,
    /// The digest of the token.
    pub digest: TokenDigest,
    /// When the token was issued.
    pub issued_at: Time,
    /// When the token expires.
    pub expires_at: Time,
    /// Whether the token has been exchanged.
    pub state: RefreshState,
    /// When this service first accepted a token of the pair, other than to exchange it; `None` as long as that is not
    /// recorded.
    pub used_at: Option<Time>,
    /// The key whose proof must be sent with the token (RFC 9449 §5); `None` if none is needed.
    pub bound_to: Option<KeyThumbprint>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl RefreshToken {
    /// Returns whether nobody is known to have used a token of the pair, so that the response with it may have been
    /// lost.
    pub fn is_unused(&self) -> bool {
        self.state == RefreshState::Current && self.used_at.is_none()
    }
}

audited!(RefreshToken as RefreshToken of nobody);

/// A token family with its account, as loaded for a presented token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenFamilyWithAccount {
    /// The token family.
    pub family: TokenFamily,
    /// The account that owns the family.
    pub account: Account,
    /// Whether the account has a second factor now. The person may have signed in before it was set up.
    pub has_second_factor: bool,
    /// The account's access epoch.
    pub access_epoch: AccessEpoch,
}

impl TokenFamilyWithAccount {
    /// Returns whether the tokens of the family are valid.
    pub fn is_live(&self) -> bool {
        self.family.is_live(&self.account)
    }

    /// Returns the sign-in of the family, which decides about confirmations.
    pub fn last_sign_in(&self) -> LastSignIn {
        LastSignIn::new(self.family.authenticated_at, &self.family.methods, self.has_second_factor)
    }

    /// Returns what decides whether the person meets the conditions of an operation.
    pub fn standing(&self) -> AccountStanding {
        AccountStanding::of(&self.account, self.last_sign_in().missing_factor())
    }
}
