//! A semaphore that serves waiting tenants in turn, so that a tenant with many requests delays only its own.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::work::{Tenant, Work};
use steward_domain::kernel::{PoolStats, lock};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// A semaphore with a bounded queue per tenant.
#[derive(Clone)]
pub(crate) struct FairSemaphore {
    state: Arc<Mutex<State>>,
    max_concurrent: usize,
    limits: Limits,
}

/// Maximum number of waiting requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// For all tenants together.
    pub total: usize,
    /// For one tenant. It is also limited by the remaining capacity of the whole queue, so that other tenants can still
    /// wait when it is nearly full. The service itself is limited only by the total.
    pub per_tenant: usize,
}

/// Why a request got no permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PermitError {
    #[error("too many requests are already waiting")]
    Full,
    #[error("the request has waited for too long")]
    TimedOut,
}

struct State {
    free: usize,
    waiting: HashMap<Tenant, VecDeque<oneshot::Sender<SemaphorePermit>>>,
    /// Waiting tenants, next one first.
    order: VecDeque<Tenant>,
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    done: u64,
    waited: Duration,
    worked: Duration,
    refused: u64,
}

/// Permission to compute. Dropping it passes it to the next waiting request.
pub(crate) struct SemaphorePermit {
    semaphore: FairSemaphore,
    /// Cleared when the permit was passed on.
    held: bool,
    started_at: Instant,
}

impl FairSemaphore {
    /// Creates a semaphore with this many permits.
    pub(crate) fn new(max_concurrent: usize, limits: Limits) -> Self {
        let (waiting, order) = (HashMap::new(), VecDeque::new());
        let state = State { free: max_concurrent, waiting, order, totals: Totals::default() };
        Self { state: Arc::new(Mutex::new(state)), max_concurrent, limits }
    }

    /// Waits for a permit, at most for `limit`. Dropping the future leaves the queue.
    pub(crate) async fn take(&self, tenant: Tenant, limit: Duration) -> Result<SemaphorePermit, PermitError> {
        let requested_at = Instant::now();
        let permit = {
            let mut state = lock(&self.state);
            if let Some(free) = state.free.checked_sub(1) {
                state.free = free;
                return Ok(self.permit());
            }
            state.enter(tenant, self.limits)
        };
        let permit = match permit {
            Ok(permit) => timeout(limit, permit).await.map_err(|_| PermitError::TimedOut),
            Err(full) => Err(full),
        };
        let mut state = lock(&self.state);
        state.totals.waited += requested_at.elapsed();
        match permit {
            // The sender is dropped only together with the semaphore.
            Ok(permit) => permit.map_err(|_| PermitError::Full),
            Err(error) => {
                state.totals.refused += 1;
                Err(error)
            }
        }
    }

    /// Runs work of the current tenant on another thread, once it has a permit. `refused` says that it got none. The permit moves
    /// to the thread: the work continues even if the request is cancelled.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        refused: &'static str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let Work { lane, tenant } = Work::current();
        let refused = |error: PermitError| Error::Unavailable(anyhow!("{refused}: {error}."));
        let permit = self.take(tenant, lane.time_limit()).await.map_err(refused)?;
        let run = move || {
            let result = work();
            drop(permit);
            result
        };
        tokio::task::spawn_blocking(run).await.map_err(|error| Error::Internal(error.into()))
    }

    /// Returns the number of running and waiting requests, and totals since the start.
    pub(crate) fn stats(&self) -> PoolStats {
        let state = lock(&self.state);
        PoolStats {
            queued: state.waiting.values().map(VecDeque::len).sum(),
            running: self.max_concurrent.saturating_sub(state.free),
            done: state.totals.done,
            waited: state.totals.waited,
            worked: state.totals.worked,
            refused: state.totals.refused,
        }
    }

    fn permit(&self) -> SemaphorePermit {
        SemaphorePermit { semaphore: self.clone(), held: true, started_at: Instant::now() }
    }

    fn pass_on(&self) {
        let mut permit = self.permit();
        loop {
            let next = lock(&self.state).next();
            let Some(next) = next else { break permit.held = false };
            match next.send(permit) {
                Ok(()) => break,
                Err(returned) => permit = returned,
            }
        }
    }
}

impl State {
    fn enter(&mut self, tenant: Tenant, limits: Limits) -> Result<oneshot::Receiver<SemaphorePermit>, PermitError> {
        if self.is_full(tenant, limits) {
            self.remove_cancelled();
            if self.is_full(tenant, limits) {
                return Err(PermitError::Full);
            }
        }
        let (sender, receiver) = oneshot::channel();
        let queue = self.waiting.entry(tenant).or_default();
        if queue.is_empty() {
            self.order.push_back(tenant);
        }
        queue.push_back(sender);
        Ok(receiver)
    }

    fn is_full(&self, tenant: Tenant, limits: Limits) -> bool {
        let own = self.waiting.get(&tenant).map_or(0, VecDeque::len);
        let total: usize = self.waiting.values().map(VecDeque::len).sum();
        let capacity = limits.total.saturating_sub(total);
        capacity == 0 || tenant != Tenant::Service && own >= limits.per_tenant.min(capacity)
    }

    fn remove_cancelled(&mut self) {
        self.waiting.retain(|_, queue| {
            queue.retain(|sender| !sender.is_closed());
            !queue.is_empty()
        });
        self.order.retain(|tenant| self.waiting.contains_key(tenant));
    }

    /// Returns the next waiting request. If there is none, frees the permit.
    fn next(&mut self) -> Option<oneshot::Sender<SemaphorePermit>> {
        let next = self.order.pop_front().and_then(|tenant| {
            let queue = self.waiting.get_mut(&tenant)?;
            let next = queue.pop_front();
            if queue.is_empty() {
                self.waiting.remove(&tenant);
            } else {
                self.order.push_back(tenant);
            }
            next
        });
        if next.is_none() {
            self.free += 1;
        }
        next
    }
}

impl Drop for SemaphorePermit {
    fn drop(&mut self) {
        if self.held {
            self.held = false;
            {
                let mut state = lock(&self.semaphore.state);
                state.totals.done += 1;
                state.totals.worked += self.started_at.elapsed();
            }
            self.semaphore.pass_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use super::*;

    const LIMITS: Limits = Limits { total: 8, per_tenant: 4 };
    const LIMIT: Duration = Duration::from_secs(60);

    fn address(last: u8) -> Tenant {
        Tenant::Address(IpAddr::from([192, 0, 2, last]))
    }

    /// Queues a request of a tenant, which records the tenant when it is served.
    async fn wait(
        semaphore: &FairSemaphore,
        tenant: Tenant,
        served: &Arc<Mutex<Vec<Tenant>>>,
    ) -> tokio::task::JoinHandle<()> {
        let (semaphore, served) = (semaphore.clone(), served.clone());
        let waiter = tokio::spawn(async move {
            let permit = semaphore.take(tenant, LIMIT).await.unwrap();
            served.lock().unwrap().push(tenant);
            drop(permit);
        });
        tokio::time::sleep(Duration::from_millis(1)).await;
        waiter
    }

    #[tokio::test]
    async fn tenants_are_served_in_turn_even_if_one_has_many_requests() {
        let semaphore = FairSemaphore::new(1, LIMITS);
        let (first, served) = (semaphore.take(address(1), LIMIT).await.unwrap(), Arc::default());
        let mut waiters = Vec::new();
        for last in [1, 1, 1, 2, 2, 3] {
            waiters.push(wait(&semaphore, address(last), &served).await);
        }
        drop(first);
        for waiter in waiters {
            waiter.await.unwrap();
        }
        assert_eq!(*served.lock().unwrap(), [1, 2, 3, 1, 2, 1].map(address));
    }

    #[tokio::test]
    async fn a_tenant_at_its_limit_is_refused_and_others_are_not() {
        let semaphore = FairSemaphore::new(1, LIMITS);
        let (first, served) = (semaphore.take(address(1), LIMIT).await.unwrap(), Arc::default());
        let mut waiters = Vec::new();
        for last in [1, 1, 1, 1, 2] {
            waiters.push(wait(&semaphore, address(last), &served).await);
        }
        assert_eq!(semaphore.take(address(1), LIMIT).await.err(), Some(PermitError::Full));
        for last in [3, 4, 5] {
            waiters.push(wait(&semaphore, address(last), &served).await);
        }
        assert_eq!(semaphore.take(address(6), LIMIT).await.err(), Some(PermitError::Full), "Eight requests wait.");
        let stats = semaphore.stats();
        assert_eq!((stats.running, stats.queued, stats.refused), (1, 8, 2));

        // A cancelled request frees its place in the queue.
        let cancelled = waiters.remove(4);
        cancelled.abort();
        drop(cancelled.await);
        waiters.push(wait(&semaphore, address(6), &served).await);
        drop(first);
        for waiter in waiters {
            waiter.await.unwrap();
        }
        assert_eq!(*served.lock().unwrap(), [1, 3, 4, 5, 6, 1, 1, 1].map(address));
        drop(semaphore.take(address(7), LIMIT).await.unwrap());
        let stats = semaphore.stats();
        assert_eq!((stats.running, stats.queued, stats.done), (0, 0, 10));
        assert!(stats.waited > Duration::ZERO);
        assert_eq!(semaphore.state.lock().unwrap().free, 1);
    }

    #[tokio::test]
    async fn tenants_with_many_requests_leave_capacity_for_a_new_tenant() {
        let semaphore = FairSemaphore::new(1, LIMITS);
        let (first, served) = (semaphore.take(address(1), LIMIT).await.unwrap(), Arc::default());
        let mut waiters = Vec::new();
        // The share of each tenant is smaller than that of the one before.
        for (last, share) in [(1, 4), (2, 2), (3, 1)] {
            for _ in 0..share {
                waiters.push(wait(&semaphore, address(last), &served).await);
            }
            assert_eq!(semaphore.take(address(last), LIMIT).await.err(), Some(PermitError::Full), "{last}");
        }
        waiters.push(wait(&semaphore, address(4), &served).await);
        assert_eq!(semaphore.stats().queued, LIMITS.total);
        assert_eq!(semaphore.take(Tenant::Service, LIMIT).await.err(), Some(PermitError::Full));
        drop(first);
        for waiter in waiters {
            waiter.await.unwrap();
        }
        assert!(served.lock().unwrap().contains(&address(4)));
    }

    #[tokio::test]
    async fn a_request_is_refused_after_its_time_limit_and_leaves_the_queue() {
        let semaphore = FairSemaphore::new(1, LIMITS);
        let first = semaphore.take(address(1), LIMIT).await.unwrap();
        let late = semaphore.take(address(2), Duration::from_millis(5)).await;
        assert_eq!(late.err(), Some(PermitError::TimedOut));
        assert_eq!(semaphore.stats().refused, 1);
        drop(first);
        let stats = semaphore.stats();
        assert_eq!((stats.running, stats.queued), (0, 0));
    }
}
