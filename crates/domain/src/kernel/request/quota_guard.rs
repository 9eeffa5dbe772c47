//! Applies the quotas to every change before it is stored, so that no use case can omit them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use crate::kernel::changes::Changes;
use crate::kernel::policy::{Quota, Quotas};
use crate::kernel::{CommitError, Committed, UnitOfWork};

/// Number of changes refused because of a quota since the process started.
#[derive(Debug, Default)]
pub struct QuotaStats([AtomicU64; Quota::ALL.len()]);

impl QuotaStats {
    /// Number of refused changes per quota.
    pub fn refusals(&self) -> impl Iterator<Item = (Quota, u64)> {
        Quota::ALL.iter().copied().zip(self.0.iter().map(|count| count.load(Ordering::Relaxed)))
    }

    fn count(&self, quota: Quota) {
        let index = Quota::ALL.iter().position(|other| *other == quota);
        if let Some(count) = index.and_then(|index| self.0.get(index)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A store whose commits fail above the quotas. Refusals are counted in `stats`.
pub struct QuotaGuard {
    pub(crate) store: Arc<dyn UnitOfWork>,
    pub(crate) quotas: Quotas,
    pub(crate) stats: Arc<QuotaStats>,
}

#[async_trait]
impl UnitOfWork for QuotaGuard {
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        let result = self.store.commit(changes.bounded_by(&self.quotas)).await;
        if let Err(CommitError::OverQuota(quota, _)) = &result {
            self.stats.count(*quota);
        }
        result
    }
}
