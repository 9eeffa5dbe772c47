//! Rate limit counters that all replicas share.

use async_trait::async_trait;

use crate::kernel::policy::ActionLimit;
use crate::kernel::{AccountId, StoreError, Time};

/// Result of counting an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitOutcome {
    /// The action is within the limit and was counted.
    Counted,
    /// The action exceeds the limit and was not counted.
    Refused {
        /// When the full limit is available again if there are no further actions.
        at_rest: Time,
    },
}

/// Counts rate-limited actions and stores the networks from which accounts were signed in to. It does not use
/// `UnitOfWork`, because an action counts whether it succeeds or not.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait RateLimitStore: Send + Sync {
    /// Counts an action with the generic cell rate algorithm. MUST NOT exceed the limit with any number of concurrent
    /// calls from any number of replicas. Counters that have fully recovered may be deleted.
    async fn count_action(&self, digest: &str, limit: ActionLimit, now: Time) -> Result<LimitOutcome, StoreError>;

    /// Reverts the counting of an action. Does nothing if the counter was deleted.
    async fn uncount_action(&self, digest: &str, limit: ActionLimit) -> Result<(), StoreError>;

    /// Returns whether the account was signed in to from the network since the given time.
    async fn is_known_network(&self, account: AccountId, digest: &str, since: Time) -> Result<bool, StoreError>;

    /// Records that an account was signed in to from a network. MUST keep the later of two times, and only the `limit`
    /// most recent networks of an account.
    async fn record_network(&self, account: AccountId, digest: &str, now: Time, limit: u16) -> Result<(), StoreError>;
}
