//! Token families: the tokens that follow from one sign-in, and the refresh tokens that carry it on (RFC 9700 §4.14).

use chrono::TimeDelta;

use super::{
    AccessEpoch, Account, AccountId, ClientId, RefreshTokenId, Revision, ScopeSet, Time, TokenDigest, TokenFamilyId,
};

/// How long a refresh token is good (contract 3).
pub const REFRESH_TTL: TimeDelta = TimeDelta::days(30);
/// How long a replaced refresh token still answers what it answered (contract 3).
pub const REFRESH_GRACE: TimeDelta = TimeDelta::seconds(60);

/// All tokens that follow from one sign-in. They are revoked together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenFamily {
    /// Its id.
    pub id: TokenFamilyId,
    /// Who signed in.
    pub account_id: AccountId,
    /// Who got the tokens.
    pub client: ClientId,
    /// What they allow.
    pub scopes: ScopeSet,
    /// When the person gave their password.
    pub authenticated_at: Time,
    /// When that password was set: a new one ends the family.
    pub password_set_at: Time,
    /// When it began.
    pub created_at: Time,
    /// When it was revoked.
    pub revoked_at: Option<Time>,
    /// For compare-and-set.
    pub revision: Revision,
}

impl TokenFamily {
    /// Whether its tokens are good for this account as it is now.
    pub fn is_live(&self, account: &Account) -> bool {
        let same_password = self.password_set_at == account.password_set_at;
        self.revoked_at.is_none() && self.account_id == account.id && same_password && account.is_active()
    }
}

/// Whether a refresh token was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefreshState {
    /// Not yet.
    Current,
    /// It was.
    Replaced {
        /// When.
        at: Time,
        /// The answer that it gave, encrypted under the token itself: whoever presents it again in time gets the same.
        /// `None` once its time is over, or its successor was used too.
        answer: Option<Vec<u8>>,
    },
}

/// One refresh token of a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshToken {
    /// Its id.
    pub id: RefreshTokenId,
    /// Its family.
    pub family_id: TokenFamilyId,
    /// What is kept of it.
    pub digest: TokenDigest,
    /// When it was issued.
    pub issued_at: Time,
    /// Until when it is good.
    pub expires_at: Time,
    /// Whether it was used.
    pub state: RefreshState,
    /// For compare-and-set.
    pub revision: Revision,
}

/// A family as a presented token finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyOfAccount {
    /// The family.
    pub family: TokenFamily,
    /// Whose it is.
    pub account: Account,
    /// The account's access epoch.
    pub access_epoch: AccessEpoch,
}

impl FamilyOfAccount {
    /// Whether its tokens are good.
    pub fn is_live(&self) -> bool {
        self.family.is_live(&self.account)
    }
}
