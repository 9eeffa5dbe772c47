//! Random values, digests and encryption of secrets.

use zeroize::Zeroizing;

use crate::administration::KeyValue;
use crate::kernel::error::Error;
use crate::kernel::{KeyDigest, Secret, Time};

/// Generates secrets.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait SecretGenerator: Send + Sync {
    /// Returns 256 cryptographically random bits.
    fn entropy(&self) -> Zeroizing<[u8; 32]>;
}

/// Computes digests of API key values with the server's pepper.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait KeyDigester: Send + Sync {
    /// Returns the digest to store for a value, computed with the newest pepper in use at `now`.
    fn digest(&self, value: &KeyValue, now: Time) -> KeyDigest;

    /// Returns the digests under which a presented value may be stored, one for each pepper that is still valid.
    fn candidates(&self, value: &KeyValue) -> Vec<KeyDigest>;
}

/// Encrypts data with the server secret.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Encrypter: Send + Sync {
    /// Encrypts data for a purpose. It cannot be decrypted for another purpose.
    fn encrypt(&self, purpose: &str, plain: &[u8]) -> Result<Vec<u8>, Error>;

    /// Decrypts data. Returns `Error::Internal` if it was encrypted with another secret or for another purpose, or was
    /// modified.
    fn decrypt(&self, purpose: &str, encrypted: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error>;
}

/// Computes digests of opaque tokens, and encrypts data with them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait TokenVault: Send + Sync {
    /// Returns the SHA-256 digest of the text in base64url without padding: 43 characters, the format of a code
    /// challenge (RFC 7636 §4.2).
    fn sha256(&self, text: &str) -> String;

    /// Encrypts a text with a token as the key. The token MUST have 256 bits of entropy.
    fn encrypt(&self, token: &Secret, text: &Secret) -> Result<Vec<u8>, Error>;

    /// Decrypts a text. Returns `Error::Internal` if it was encrypted with another token or was modified.
    fn decrypt(&self, token: &Secret, encrypted: &[u8]) -> Result<Secret, Error>;
}
