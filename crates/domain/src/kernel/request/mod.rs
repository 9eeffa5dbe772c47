//! What applies to requests: limits, quotas and the responses of repeated ones.

pub(super) mod action_limiter;
pub(super) mod idempotency;
pub(super) mod idempotency_key;
pub(crate) mod idempotency_store;
pub(super) mod quota_guard;
pub(crate) mod rate_limit_store;
