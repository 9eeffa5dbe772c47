//! Randomness, and what is kept of secrets.

use zeroize::Zeroizing;

use crate::model::{KeyDigest, KeyValue};

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
