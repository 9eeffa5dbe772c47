//! Passwords that were found in data breaches.

use async_trait::async_trait;

use crate::identity::Password;

/// Knows passwords that attackers have from data breaches, and try first.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BreachedPasswords: Send + Sync {
    /// Returns whether the password was found in a breach. MUST return `false` if that cannot be found out within a few
    /// seconds, and MUST NOT reveal the password to others.
    async fn contains(&self, password: &Password) -> bool;
}
