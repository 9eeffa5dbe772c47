//! Keys of the server's own: token signing keys and the pepper of API keys. Kept sealed under the server secret.

use super::{Revision, ServerKeyId, Time};

/// How access tokens are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SigningAlgorithm {
    /// ECDSA on P-256 with SHA-256 (RFC 7518 §3.4).
    Es256,
    /// Ed25519 (RFC 8037).
    EdDsa,
    /// RSASSA-PKCS1-v1_5 with SHA-256, 2048 bits (RFC 7518 §3.3).
    Rs256,
}

impl SigningAlgorithm {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Es256, Self::EdDsa, Self::Rs256];

    /// The `alg` of RFC 7518.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
        }
    }

    /// Reads an `alg`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == text)
    }
}

/// What a server key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServerKeyPurpose {
    /// Signs access tokens.
    TokenSigning(SigningAlgorithm),
    /// Keys the digests of API keys.
    KeyPepper,
}

/// A key of the server's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerKey {
    /// Its id.
    pub id: ServerKeyId,
    /// What it is for.
    pub purpose: ServerKeyPurpose,
    /// Its place among the keys of its kind, from 1. Two servers that start at once cannot both make the same one.
    pub generation: i64,
    /// The key material, encrypted under the server secret.
    pub sealed: Vec<u8>,
    /// When it was made.
    pub created_at: Time,
    /// From when it is used: a standby key is published before, so that nobody meets a token they cannot check.
    pub use_from: Time,
    /// For compare-and-set.
    pub revision: Revision,
}
