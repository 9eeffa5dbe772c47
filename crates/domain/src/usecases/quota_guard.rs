//! Sets the limits of this service on every change before it is stored, so that no use case can forget one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use crate::changes::Changes;
use crate::policy::{Quota, Quotas};
use crate::ports::{CommitError, Committed, UnitOfWork};

/// How many changes were refused because of a quota since the process began.
#[derive(Debug, Default)]
pub struct QuotaStats([AtomicU64; Quota::ALL.len()]);

impl QuotaStats {
    /// How many were refused because of each quota.
    pub fn refusals(&self) -> impl Iterator<Item = (Quota, u64)> {
        Quota::ALL.iter().copied().zip(self.0.iter().map(|count| count.load(Ordering::Relaxed)))
    }

    fn count(&self, quota: Quota) {
        let place = Quota::ALL.iter().position(|other| *other == quota);
        if let Some(count) = place.and_then(|place| self.0.get(place)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A unit of work that keeps tenants within their quotas.
pub struct QuotaGuard {
    store: Arc<dyn UnitOfWork>,
    quotas: Quotas,
    stats: Arc<QuotaStats>,
}

impl QuotaGuard {
    /// Stores changes in this store, within these limits, and counts what it refuses.
    pub fn new(store: Arc<dyn UnitOfWork>, quotas: Quotas, stats: Arc<QuotaStats>) -> Self {
        Self { store, quotas, stats }
    }
}

#[async_trait]
impl UnitOfWork for QuotaGuard {
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        let done = self.store.commit(changes.bounded_by(&self.quotas)).await;
        if let Err(CommitError::OverQuota(quota, _)) = &done {
            self.stats.count(*quota);
        }
        done
    }
}
