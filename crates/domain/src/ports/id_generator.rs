//! New ids.

use uuid::Uuid;

/// Makes ids.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait IdGenerator: Send + Sync {
    /// A UUID that was never given before. MUST be version 7 (RFC 9562 §5.7), so that ids grow with time.
    fn next(&self) -> Uuid;
}
