//! The queue of logout tokens that are to be delivered.

use async_trait::async_trait;

use crate::identity::LogoutDelivery;
use crate::kernel::{LogoutDeliveryId, ProjectId, StoreError, Time};

/// Logout tokens that are to be delivered. Ending a session adds to the queue through `UnitOfWork`. These writes do not,
/// because they follow from what it stored.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LogoutQueue: Send + Sync {
    /// Returns at most `limit` deliveries that are due, longest waiting first, except those to some projects.
    async fn due_logouts(&self, now: Time, except: &[ProjectId], limit: u16)
    -> Result<Vec<LogoutDelivery>, StoreError>;

    /// Counts an attempt and schedules the next one. MUST return `false` and change nothing if the delivery changed
    /// since it was read, so that each attempt is made by one process.
    async fn claim_logout(&self, delivery: &LogoutDelivery, next_attempt_at: Time) -> Result<bool, StoreError>;

    /// Removes a delivery, if it exists.
    async fn remove_logout(&self, id: LogoutDeliveryId) -> Result<(), StoreError>;
}
