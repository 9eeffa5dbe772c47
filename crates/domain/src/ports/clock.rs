//! The time.

use crate::model::Time;

/// Tells the time.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Clock: Send + Sync {
    /// The present moment. MUST be cut to whole microseconds, the precision that every store keeps.
    fn now(&self) -> Time;
}
