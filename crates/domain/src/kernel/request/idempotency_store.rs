//! Storage of claims: requests that were sent with an `Idempotency-Key`.

use async_trait::async_trait;

use crate::kernel::{IdempotentRequest, IdempotentRequestId, StoreError, Time};

/// Stores claims on idempotency keys.
///
/// These writes do not go through `UnitOfWork`, because they happen around it: the claim is stored before the change
/// and the response after it. `UnitOfWork` itself stores, with the change, that the request had an effect.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Stores a claim on an unused key. MUST return `false` and change nothing if the caller already has a claim on the
    /// key.
    async fn claim(&self, claim: &IdempotentRequest) -> Result<bool, StoreError>;

    /// Returns the caller's claim on a key.
    async fn claimed(&self, caller: &str, key_digest: &str) -> Result<Option<IdempotentRequest>, StoreError>;

    /// Replaces the claim with the ID `former`. MUST return `false` and change nothing if that claim no longer exists,
    /// or if it has taken effect or been answered and has not expired at `now`.
    async fn take_over(
        &self,
        former: IdempotentRequestId,
        claim: &IdempotentRequest,
        now: Time,
    ) -> Result<bool, StoreError>;

    /// Stores the response of a claim. Does nothing if the claim no longer exists.
    async fn answer(&self, id: IdempotentRequestId, answer: &[u8]) -> Result<(), StoreError>;

    /// Ends a claim without a response: removes it if the request changed nothing, otherwise ends its lease.
    async fn give_up(&self, id: IdempotentRequestId, now: Time) -> Result<(), StoreError>;
}
