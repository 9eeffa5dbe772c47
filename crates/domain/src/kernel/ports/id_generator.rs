//! Generating IDs.

use uuid::Uuid;

/// Generates IDs.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait IdGenerator: Send + Sync {
    /// Returns a new, unique UUID. MUST be version 7 (RFC 9562 §5.7), so that IDs increase with time.
    fn next(&self) -> Uuid;
}
