//! The backlog of background work, for metrics.

use async_trait::async_trait;

use crate::kernel::{StoreError, Time};

/// The backlog of background work. Counts are capped at 10,000, because larger values need not be exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Number of audit events that are not sealed.
    pub unsealed_events: u64,
    /// Timestamp of the oldest unsealed event.
    pub oldest_unsealed: Option<Time>,
    /// Number of webhooks with a delivery that is due.
    pub due_webhooks: u64,
    /// Since when the oldest of these deliveries has been due.
    pub oldest_due: Option<Time>,
    /// Number of webhooks whose last delivery failed and will be retried.
    pub failing_webhooks: u64,
    /// Timestamp of the newest event that is stored in a default partition, because the partition of its week does not
    /// exist. `None` if there is none, or if the store has no partitions.
    pub newest_unpartitioned: Option<Time>,
}

/// Reads the backlog of background work.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BacklogReader: Send + Sync {
    /// Returns the backlog at `now`. The cost MUST NOT depend on its size.
    async fn backlog(&self, now: Time) -> Result<Backlog, StoreError>;
}
