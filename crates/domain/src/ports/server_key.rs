//! Keys of the server's own: made, kept encrypted, put to use.

use async_trait::async_trait;

use crate::error::Error;
use crate::model::{ServerKey, ServerKeyPurpose};

use super::StoreError;

/// Reads the server's keys.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ServerKeyReader: Send + Sync {
    /// All of them, the oldest first.
    async fn server_keys(&self) -> Result<Vec<ServerKey>, StoreError>;
}

/// Makes key material.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait KeyGenerator: Send + Sync {
    /// New key material, encrypted under the server secret.
    fn generate(&self, purpose: ServerKeyPurpose) -> Result<Vec<u8>, Error>;
}

/// Puts keys to use.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait KeyRing: Send + Sync {
    /// Unseals these keys and uses them from now on, instead of all before. MUST change nothing when one cannot be unsealed.
    fn install(&self, keys: &[ServerKey]) -> Result<(), Error>;
}
