//! Errors of the OAuth protocol.

use std::fmt;

use super::{ErrorCode, InvalidProof};

/// An OAuth error response (RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{description}")]
pub struct OAuthError {
    /// The `error` parameter.
    pub code: ErrorCode,
    /// The `error_description` parameter: printable ASCII without quotes and backslashes.
    pub description: String,
}

impl OAuthError {
    /// Creates an error. Characters of the description that RFC 6749 does not allow are removed.
    pub fn new(code: ErrorCode, description: impl fmt::Display) -> Self {
        let allowed = |c: &char| matches!(c, ' '..='~') && !matches!(c, '"' | '\\');
        Self { code, description: description.to_string().chars().filter(allowed).collect() }
    }

    /// Returns the members of the response (RFC 6749 §4.1.2.1).
    pub fn members(&self) -> [(&'static str, &str); 2] {
        [("error", self.code.as_str()), ("error_description", &self.description)]
    }

    /// Creates an `invalid_request` error: the request is malformed.
    pub fn request(description: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidRequest, description)
    }

    /// Creates an `invalid_client` error: the client did not authenticate.
    pub fn client(description: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidClient, description)
    }

    /// Creates an `invalid_grant` error: the code or refresh token is not valid, or belongs to another client.
    pub fn grant(description: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidGrant, description)
    }
}

impl From<InvalidProof> for OAuthError {
    fn from(error: InvalidProof) -> Self {
        Self::new(ErrorCode::InvalidDpopProof, error)
    }
}
