//! Leases: each share of the background work is done by one replica at a time.

use async_trait::async_trait;
use uuid::Uuid;

use crate::model::Time;

use super::StoreError;

/// Who does which share of the background work. What is done twice all the same does no harm, it only costs twice.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WorkLeases: Send + Sync {
    /// Takes or prolongs the lease on a share. MUST answer `false` while somebody else holds it.
    async fn take_share(&self, share: &str, holder: Uuid, now: Time, until: Time) -> Result<bool, StoreError>;

    /// Ends all leases of a holder on shares.
    async fn give_back_shares(&self, holder: Uuid) -> Result<(), StoreError>;
}
