//! Counts the bytes of requests and responses, and limits the number of pages that are built at once per tenant:
//! further requests of the tenant wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::anyhow;
use steward_domain::kernel::PageSize;
use steward_domain::kernel::error::Error as DomainError;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::Tenant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::byte_budget::{ByteBudget, MAX_BYTES_PER_TENANT};

/// Maximum number of pages that are built at once for one tenant: as many as may then wait for it.
const MAX_PAGES_PER_TENANT: usize = MAX_BYTES_PER_TENANT / PageSize::MAX.bytes;

/// Counts the bytes of requests that are being processed and of responses that wait to be read, and the pages that are
/// being built. Clones share the counts.
#[derive(Clone, Default)]
pub struct InFlight {
    /// The budget of request bodies.
    pub requests: ByteBudget,
    /// The budget of responses.
    pub responses: ByteBudget,
    pages: Arc<Mutex<HashMap<Tenant, Arc<Semaphore>>>>,
}

impl InFlight {
    /// Waits until the tenant may build another page. Fails if that takes too long.
    pub(crate) async fn page(&self, tenant: Tenant) -> Result<PageSlot, DomainError> {
        let semaphore = {
            let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
            pages.entry(tenant).or_insert_with(|| Arc::new(Semaphore::new(MAX_PAGES_PER_TENANT))).clone()
        };
        // Created before waiting, so that it removes the semaphore even if the request is cancelled.
        let mut slot = PageSlot { in_flight: self.clone(), tenant, semaphore: Some(semaphore.clone()), permit: None };
        let permit = timeout(Lane::Interactive.time_limit(), semaphore.acquire_owned()).await;
        let too_many = || anyhow!("Too many pages are being built for this tenant.");
        slot.permit = Some(permit.ok().and_then(Result::ok).ok_or_else(|| DomainError::Unavailable(too_many()))?);
        Ok(slot)
    }
}

/// Permission to build a page. It ends when the slot is dropped.
pub struct PageSlot {
    in_flight: InFlight,
    tenant: Tenant,
    semaphore: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for PageSlot {
    fn drop(&mut self) {
        drop((self.permit.take(), self.semaphore.take()));
        let mut pages = self.in_flight.pages.lock().unwrap_or_else(PoisonError::into_inner);
        // No other request has a slot or waits for one.
        if pages.get(&self.tenant).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            pages.remove(&self.tenant);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn tenant(last: u8) -> Tenant {
        Tenant::at_address([192, 0, 2, last].into())
    }

    #[tokio::test]
    async fn a_tenant_that_builds_too_many_pages_waits_for_its_own() {
        let in_flight = InFlight::default();
        let mut slots = Vec::new();
        for _ in 0..MAX_PAGES_PER_TENANT {
            slots.push(in_flight.page(tenant(1)).await.unwrap());
        }
        assert!(timeout(Duration::from_millis(20), in_flight.page(tenant(1))).await.is_err(), "The limit is exceeded.");
        slots.push(in_flight.page(tenant(2)).await.unwrap());
        drop(slots.pop());
        drop(slots.pop());
        slots.push(in_flight.page(tenant(1)).await.unwrap());
        drop(slots);
        assert!(in_flight.pages.lock().unwrap().is_empty());
    }
}
