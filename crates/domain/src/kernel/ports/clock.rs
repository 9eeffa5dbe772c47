//! The current time.

use crate::kernel::Time;

/// Provides the current time.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait Clock: Send + Sync {
    /// Returns the current time. MUST be truncated to microseconds, the precision that every store supports.
    fn now(&self) -> Time;
}
