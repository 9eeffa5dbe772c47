//! Access tokens.

use chrono::TimeDelta;

use crate::error::Error;
use crate::model::{AccessClaims, AccountId, IdClaims, Secret, ServerKeyId, Time};

/// Why a token was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenError {
    /// It is not one of ours, or was altered.
    Invalid,
    /// It names a key that is not installed: another process may have made it since.
    UnknownKey,
    /// It is past its time.
    Expired,
}

/// A token that one of the installed keys signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedToken {
    /// What it says.
    pub claims: AccessClaims,
    /// The key that signed it. Whether that key is still stored is for the store to say.
    pub signed_by: ServerKeyId,
}

/// How far two clocks may be apart.
const CLOCK_LEEWAY: TimeDelta = TimeDelta::seconds(30);

/// Refuses a token that has expired, or that is from the future, by more than 30 seconds.
pub fn check_lifetime(claims: &AccessClaims, now: Time) -> Result<(), TokenError> {
    // Only `now` is added to: the times in a token may be at the ends of the calendar.
    if claims.issued_at > now + CLOCK_LEEWAY {
        return Err(TokenError::Invalid);
    }
    if claims.expires_at <= now - CLOCK_LEEWAY { Err(TokenError::Expired) } else { Ok(()) }
}

/// Signs and checks access tokens (RFC 7519, RFC 9068).
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait AccessTokens: Send + Sync {
    /// Signs a token with the key that is in use at its `issued_at`.
    fn issue(&self, claims: &AccessClaims) -> Result<Secret, Error>;

    /// Signs an id token that belongs to the access token: it MUST say the access token's hash (OpenID Connect Core
    /// §3.1.3.6), and MUST NOT be taken for an access token.
    fn identify(&self, claims: &IdClaims, access_token: &Secret) -> Result<Secret, Error>;

    /// The account that an id token of ours is about, expired or not (OpenID Connect Core §3.1.2.1, `id_token_hint`).
    fn hinted(&self, id_token: &str) -> Option<AccountId>;

    /// What a token says. MUST refuse every algorithm but the one its key was made for, and what
    /// [`check_lifetime`] refuses.
    fn verify(&self, token: &str, now: Time) -> Result<VerifiedToken, TokenError>;

    /// The public keys that tokens can be checked with: a JSON Web Key Set (RFC 7517 §5).
    fn published_keys(&self) -> serde_json::Value;
}
