//! Leases on background work: one replica at a time processes each share of it.

use async_trait::async_trait;
use uuid::Uuid;

use crate::kernel::{StoreError, Time};

/// Assigns shares of the background work to replicas. Processing a share twice is harmless, only more expensive.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait WorkLeases: Send + Sync {
    /// Acquires or extends the lease on a share. MUST return `false` while another holder has it.
    async fn acquire_lease(&self, share: &str, holder: Uuid, now: Time, until: Time) -> Result<bool, StoreError>;

    /// Ends all leases of a holder.
    async fn release_leases_of(&self, holder: Uuid) -> Result<(), StoreError>;
}
