//! Randomness, and what is kept of secrets.

use zeroize::Zeroizing;

use crate::error::Error;
use crate::model::{KeyDigest, KeyValue, Secret, Time};

/// Makes secrets.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait SecretGenerator: Send + Sync {
    /// 256 bits that nobody can guess.
    fn entropy(&self) -> Zeroizing<[u8; 32]>;
}

/// Digests the values of API keys under the server's pepper.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait KeyDigester: Send + Sync {
    /// The digest to keep of a value from now on: under the newest pepper that is in use at this moment.
    fn digest(&self, value: &KeyValue, now: Time) -> KeyDigest;

    /// The digests under which a presented value may be kept: one for each pepper that is still good.
    fn candidates(&self, value: &KeyValue) -> Vec<KeyDigest>;
}

/// Encrypts under the server secret.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Encrypter: Send + Sync {
    /// Encrypts. The purpose is bound in: what is encrypted for one cannot be opened for another.
    fn encrypt(&self, purpose: &str, plain: &[u8]) -> Result<Vec<u8>, Error>;

    /// Decrypts. `Error::Internal` when it was encrypted under another secret or for another purpose, or altered.
    fn decrypt(&self, purpose: &str, encrypted: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error>;
}

/// What is kept of opaque tokens, and what is kept under them.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait TokenVault: Send + Sync {
    /// SHA-256 of the text in base64url without padding: 43 characters (RFC 7636 §4.2 spells a challenge so).
    fn sha256(&self, text: &str) -> String;

    /// Encrypts a text so that only who has the token can read it. The token MUST have 256 bits of entropy.
    fn encrypt(&self, under: &Secret, text: &Secret) -> Result<Vec<u8>, Error>;

    /// Decrypts it. `Error::Internal` when it was encrypted under another token, or altered.
    fn decrypt(&self, under: &Secret, encrypted: &[u8]) -> Result<Secret, Error>;
}
