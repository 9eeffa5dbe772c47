//! What the whole service needs: its keys, limits, background work, and its operators.

pub(super) mod action_limiter;
pub(super) mod current_keys;
pub(super) mod expiry;
pub(super) mod idempotency;
pub(super) mod operators;
pub(super) mod proofs;
pub(super) mod quota_guard;
pub(super) mod request_log;
pub(super) mod search;
pub(super) mod server_keys;
pub(super) mod shares;
pub(super) mod usage;
pub(super) mod used_ids;
pub(super) mod verified_tokens;
