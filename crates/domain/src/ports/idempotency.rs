//! Claims on idempotency keys.

use async_trait::async_trait;

use crate::model::{IdempotentRequest, IdempotentRequestId, Time};

use super::StoreError;

/// Keeps claims.
///
/// These writes stand beside `UnitOfWork`, because they surround it: a claim is there before anything is changed, and its
/// answer after. That a request changed something is stored by `UnitOfWork` itself, with the change.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Stores a claim on a key that nobody claimed. MUST answer `false`, and do nothing, when the caller has one on it.
    async fn claim(&self, claim: &IdempotentRequest) -> Result<bool, StoreError>;

    /// The claim of a caller on a key.
    async fn claimed(&self, caller: &str, key_digest: &str) -> Result<Option<IdempotentRequest>, StoreError>;

    /// Stores a claim in the place of one with this id. MUST answer `false`, and do nothing, when it is not there any more,
    /// or has become effective or answered, unless it has expired by then.
    async fn take_over(
        &self,
        former: IdempotentRequestId,
        claim: &IdempotentRequest,
        now: Time,
    ) -> Result<bool, StoreError>;

    /// Stores the answer of a claim. Does nothing when the claim is not there any more.
    async fn answer(&self, id: IdempotentRequestId, answer: &[u8]) -> Result<(), StoreError>;

    /// Ends a claim that has no answer: removed when it changed nothing, else its lease is over.
    async fn give_up(&self, id: IdempotentRequestId, now: Time) -> Result<(), StoreError>;
}
