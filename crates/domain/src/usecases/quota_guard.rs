//! Sets the limits of this service on every change before it is stored, so that no use case can forget one.

use std::sync::Arc;

use async_trait::async_trait;

use crate::changes::Changes;
use crate::policy::Quotas;
use crate::ports::{CommitError, Committed, UnitOfWork};

/// A unit of work that keeps tenants within their quotas.
pub struct QuotaGuard {
    store: Arc<dyn UnitOfWork>,
    quotas: Quotas,
}

impl QuotaGuard {
    /// Stores changes in this store, within these limits.
    pub fn new(store: Arc<dyn UnitOfWork>, quotas: Quotas) -> Self {
        Self { store, quotas }
    }
}

#[async_trait]
impl UnitOfWork for QuotaGuard {
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        self.store.commit(changes.bounded_by(&self.quotas)).await
    }
}
