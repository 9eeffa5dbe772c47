//! Verifying what clients sign with keys of their own.

use crate::identity::{ClientKeys, KeyThumbprint};
use crate::kernel::{InvalidValue, Time};

/// The claims of a proof (RFC 9449 §4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofClaims {
    /// The thumbprint of the key in the header, which signed the proof.
    pub key: KeyThumbprint,
    /// Unique ID of the proof (`jti`).
    pub id: String,
    /// The method of the request (`htm`).
    pub method: String,
    /// The URL of the request (`htu`).
    pub url: String,
    /// When the proof was made (`iat`), with a precision of one second.
    pub issued_at: Time,
    /// The SHA-256 of the access token that is sent with the proof, in base64url (`ath`).
    pub token_hash: Option<String>,
}

/// The claims of an assertion (RFC 7523 §3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssertionClaims {
    /// Who made the assertion (`iss`).
    pub issuer: String,
    /// The client (`sub`).
    pub subject: String,
    /// The services that it is for (`aud`).
    pub audiences: Vec<String>,
    /// Unique ID of the assertion (`jti`).
    pub id: String,
    /// When it expires (`exp`), with a precision of one second.
    pub expires_at: Time,
    /// When it begins to be valid (`nbf`).
    pub not_before: Option<Time>,
    /// When it was made (`iat`).
    pub issued_at: Option<Time>,
}

/// Verifies JWTs that clients sign. Every implementation MUST accept only the algorithms of
/// [`ClientAlgorithm`](crate::identity::ClientAlgorithm).
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait ClientSignatures: Send + Sync {
    /// Returns the claims of a proof that is signed by the public key in its header. MUST return `None` for another
    /// `typ`, and if the header contains a private key (RFC 9449 §4.3).
    fn proof(&self, jwt: &str) -> Option<ProofClaims>;

    /// Returns the claims of an assertion that is signed by one of the keys. MUST return `None` if `exp` or `jti` is
    /// missing.
    fn assertion(&self, jwt: &str, keys: &ClientKeys) -> Option<AssertionClaims>;

    /// Returns the client that an assertion names (`sub`), without verifying anything. It MUST NOT give access to anything.
    fn claimed_subject(&self, jwt: &str) -> Option<String>;

    /// Checks that each key can verify signatures.
    fn check_keys(&self, keys: &ClientKeys) -> Result<(), InvalidValue>;
}
