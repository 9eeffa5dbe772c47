//! Randomness, and what is kept of secrets.

use zeroize::Zeroizing;

use crate::error::Error;
use crate::model::{KeyDigest, KeyValue, Secret};

/// Makes secrets.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait SecretGenerator: Send + Sync {
    /// 256 bits that nobody can guess.
    fn entropy(&self) -> Zeroizing<[u8; 32]>;
}

/// Digests the values of API keys under the server's pepper.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait KeyDigester: Send + Sync {
    /// The digest to keep of a new value: under the newest pepper.
    fn digest(&self, value: &KeyValue) -> KeyDigest;

    /// The digests under which a presented value may be kept: one for each pepper that is still good.
    fn candidates(&self, value: &KeyValue) -> Vec<KeyDigest>;
}

/// What is kept of opaque tokens, and what is kept under them.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait TokenVault: Send + Sync {
    /// SHA-256 of the text in base64url without padding: 43 characters (RFC 7636 §4.2 spells a challenge so).
    fn sha256(&self, text: &str) -> String;

    /// Encrypts a text so that only who has the token can read it. The token MUST have 256 bits of entropy.
    fn seal(&self, under: &Secret, text: &Secret) -> Result<Vec<u8>, Error>;

    /// Decrypts it. `Error::Internal` when it was sealed under another token, or altered.
    fn open(&self, under: &Secret, sealed: &[u8]) -> Result<Secret, Error>;
}
