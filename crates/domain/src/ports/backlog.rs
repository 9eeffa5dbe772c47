//! What waits for background work, for metrics.

use async_trait::async_trait;

use crate::model::Time;

use super::StoreError;

/// What waits for background work. Counts end at 10,000: beyond that only that there is much matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Events that are not sealed.
    pub unsealed_events: u64,
    /// When the oldest of them happened.
    pub oldest_unsealed: Option<Time>,
    /// Webhooks with a delivery that is due.
    pub due_webhooks: u64,
    /// Since when the first of them has been due.
    pub oldest_due: Option<Time>,
    /// Webhooks whose last delivery failed and that are tried again.
    pub failing_webhooks: u64,
}

/// Reads what waits for background work.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait BacklogReader: Send + Sync {
    /// What waits now. MUST cost the same however much waits.
    async fn backlog(&self, now: Time) -> Result<Backlog, StoreError>;
}
