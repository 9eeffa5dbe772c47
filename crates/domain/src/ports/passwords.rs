//! Password hashes.

use async_trait::async_trait;

use crate::error::Error;
use crate::model::{Password, PasswordHash, Secret};

use super::PoolStats;

/// Hashes passwords and compares them with hashes, a bounded number at a time.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// A salted hash of the password. `Error::Unavailable` when too many wait already.
    async fn hash(&self, password: Password) -> Result<PasswordHash, Error>;

    /// Whether the text is the password that was hashed. Without a hash it is not, and MUST take just as long to say so:
    /// time must not tell which accounts exist.
    async fn verify(&self, text: Secret, hash: Option<PasswordHash>) -> Result<bool, Error>;

    /// What it does and has done.
    fn stats(&self) -> PoolStats;
}
