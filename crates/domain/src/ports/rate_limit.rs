//! Attempts at secrets, counted by all replicas together.

use async_trait::async_trait;

use crate::model::{AccountId, Time};
use crate::policy::ActionLimit;

use super::StoreError;

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitOutcome {
    /// It is within the limit, and counted.
    Counted,
    /// It is beyond the limit, and not counted.
    Refused {
        /// When the limit would be whole again, without further attempts.
        at_rest: Time,
    },
}

/// Counts attempts, and keeps where accounts were signed in to. Beside `UnitOfWork`, because an attempt counts whatever
/// comes of it.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait RateLimitStore: Send + Sync {
    /// Counts an attempt by the generic cell rate algorithm. MUST count no more than the limit allows, however many ask at
    /// once and from wherever. What is at rest may be forgotten.
    async fn count_action(&self, digest: &str, limit: ActionLimit, now: Time) -> Result<LimitOutcome, StoreError>;

    /// Takes an attempt back. Does nothing when it is forgotten.
    async fn uncount_action(&self, digest: &str, limit: ActionLimit) -> Result<(), StoreError>;

    /// Whether the account was signed in to from the network since then.
    async fn knows_network(&self, account: AccountId, digest: &str, since: Time) -> Result<bool, StoreError>;

    /// Notes that an account was signed in to from a network. MUST keep the later of two times, and at most the `most`
    /// networks of an account that were seen last.
    async fn record_network(&self, account: AccountId, digest: &str, now: Time, most: u16) -> Result<(), StoreError>;
}
