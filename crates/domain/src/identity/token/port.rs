//! Signing and verifying access tokens and ID tokens.

use chrono::TimeDelta;

use crate::identity::{AccessClaims, IdClaims, IdTokenHint, LogoutClaims, SigningAlgorithm};
use crate::kernel::error::Error;
use crate::kernel::{Secret, ServerKeyId, Time};

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenError {
    /// The token was not issued by this service or was modified.
    Invalid,
    /// The token was signed with a key that is not installed. Another process may have generated the key in the
    /// meantime.
    UnknownKey,
    /// The token has expired.
    Expired,
}

/// A token whose signature was verified with an installed key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedToken {
    /// Claims of the token.
    pub claims: AccessClaims,
    /// The key that signed the token. Callers MUST check that the key is still stored.
    pub signed_by: ServerKeyId,
}

/// Tolerated difference between two clocks.
const CLOCK_LEEWAY: TimeDelta = TimeDelta::seconds(30);

/// Returns an error for a token that expired, or was issued in the future, by more than 30 seconds.
pub fn check_lifetime(claims: &AccessClaims, now: Time) -> Result<(), TokenError> {
    // Add to and subtract from `now` only: the timestamps of a token may be at the limits of the supported range.
    if claims.issued_at > now + CLOCK_LEEWAY {
        return Err(TokenError::Invalid);
    }
    if claims.expires_at <= now - CLOCK_LEEWAY { Err(TokenError::Expired) } else { Ok(()) }
}

/// Signs and verifies access tokens (RFC 7519, RFC 9068) and ID tokens. Each kind of token has its own keys.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait AccessTokens: Send + Sync {
    /// Signs an access token with the key for access tokens that is in use at its `issued_at`.
    fn issue(&self, claims: &AccessClaims) -> Result<Secret, Error>;

    /// Signs the ID token for an access token, with a key for ID tokens. It MUST contain the hash of the access token
    /// (OpenID Connect Core §3.1.3.6) and MUST NOT be accepted as an access token.
    fn issue_id_token(&self, claims: &IdClaims, access_token: &Secret) -> Result<Secret, Error>;

    /// Signs a logout token with a key for ID tokens. It MUST NOT be accepted as an ID token or an access token.
    fn issue_logout_token(&self, claims: &LogoutClaims) -> Result<Secret, Error>;

    /// Returns the account and the client of an ID token that this service issued, expired or not (OpenID Connect Core
    /// §3.1.2.1, `id_token_hint`).
    fn id_token_hint(&self, id_token: &str) -> Option<IdTokenHint>;

    /// Verifies an access token. MUST reject every algorithm except the one for which its key was generated, and every
    /// token that [`check_lifetime`] rejects.
    fn verify(&self, token: &str, now: Time) -> Result<VerifiedToken, TokenError>;

    /// Verifies an access token like [`AccessTokens::verify`], but accepts one that has expired. It MUST NOT give access
    /// to anything.
    fn verify_expired(&self, token: &str) -> Result<VerifiedToken, TokenError>;

    /// Returns the public keys for verifying tokens, as a JSON Web Key Set (RFC 7517 §5).
    fn published_keys(&self) -> serde_json::Value;

    /// Returns the algorithms of the published keys for ID tokens, each once.
    fn id_token_algorithms(&self) -> Vec<SigningAlgorithm>;
}
