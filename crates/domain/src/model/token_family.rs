//! Token families: the tokens derived from one sign-in, and the refresh tokens that renew them (RFC 9700 §4.14).

use chrono::TimeDelta;
use serde_json::json;

use crate::policy::LastSignIn;

use super::{
    AccessEpoch, Account, AccountId, AuditView, Audited, AuthenticationMethods, ClientId, KeyThumbprint, OwnerIds,
    RefreshTokenId, ResourceKind, Revision, Scope, ScopeSet, SessionId, Time, TokenDigest, TokenFamilyId,
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
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl Audited for TokenFamily {
    const KIND: ResourceKind = ResourceKind::TokenFamily;

    fn owner_ids(&self) -> OwnerIds {
        (None, None)
    }

    fn audit_view(&self) -> Option<AuditView> {
        Some(AuditView {
            id: self.id.to_string(),
            state: json!({
                "account_id": self.account_id.to_string(), "client_id": self.client.as_str(),
                "scope": self.scopes.to_string(), "revoked_at": self.revoked_at.map(|at| at.to_rfc3339()),
            }),
        })
    }
}

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
}

/// Whether a refresh token has been used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefreshState {
    /// The token has not been used.
    Current,
    /// The token has been used and replaced by a new one.
    Replaced {
        /// When it was used.
        at: Time,
        /// The response, encrypted with the token itself. Presenting the token again within the grace period returns
        /// the same response. `None` once the grace period has ended or the next token was used too.
        answer: Option<Vec<u8>>,
    },
}

/// A refresh token of a family.
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
    /// Whether the token has been used.
    pub state: RefreshState,
    /// The key whose proof must be sent with the token (RFC 9449 §5); `None` if none is needed.
    pub bound_to: Option<KeyThumbprint>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl Audited for RefreshToken {
    const KIND: ResourceKind = ResourceKind::RefreshToken;

    fn owner_ids(&self) -> OwnerIds {
        (None, None)
    }

    fn audit_view(&self) -> Option<AuditView> {
        None
    }
}

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
}
