//! Server keys: reading, generating and installing them.

use async_trait::async_trait;

use crate::identity::{ServerKey, ServerKeyPurpose};
use crate::kernel::StoreError;
use crate::kernel::error::Error;

/// Reads the server keys.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ServerKeyReader: Send + Sync {
    /// Returns all server keys, oldest first.
    async fn server_keys(&self) -> Result<Vec<ServerKey>, StoreError>;
}

/// Generates key material.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait KeyGenerator: Send + Sync {
    /// Returns new key material, encrypted with the server secret.
    fn generate(&self, purpose: ServerKeyPurpose) -> Result<Vec<u8>, Error>;
}

/// Holds the keys that the server uses.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait KeyRing: Send + Sync {
    /// Decrypts these keys and replaces all installed keys with them. MUST change nothing if one of them cannot be
    /// decrypted.
    fn install(&self, keys: &[ServerKey]) -> Result<(), Error>;
}
