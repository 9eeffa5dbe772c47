//! Hashing and verifying passwords.

use async_trait::async_trait;

use crate::identity::{Password, PasswordHash};
use crate::kernel::error::Error;
use crate::kernel::{PoolStats, Secret};

/// Hashes and verifies passwords. The number of concurrent computations is bounded.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// Returns a salted hash of the password. Returns `Error::Unavailable` if too many calls are waiting.
    async fn hash(&self, password: Password) -> Result<PasswordHash, Error>;

    /// Returns whether the text is the hashed password. Without a hash, MUST return `false` after the same time, so
    /// that response times do not reveal which accounts exist.
    async fn verify(&self, text: Secret, hash: Option<PasswordHash>) -> Result<bool, Error>;

    /// Returns the statistics of the underlying pool.
    fn stats(&self) -> PoolStats;
}
