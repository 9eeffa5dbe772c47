//! Who may compute next: a bounded number at a time, and among those who wait each tenant in turn, so that one who asks a
//! lot waits for itself and not for others.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use steward_domain::ports::PoolStats;
use steward_domain::work::Tenant;
use tokio::sync::oneshot;

/// Gives a bounded number of turns at a time.
#[derive(Clone)]
pub(crate) struct FairSemaphore {
    state: Arc<Mutex<State>>,
    at_once: usize,
    limits: Limits,
}

/// How many may wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Of all tenants together.
    pub in_all: usize,
    /// Of one tenant. The service itself has no limit of its own.
    pub of_tenant: usize,
}

/// Too many wait already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

struct State {
    free: usize,
    waiting: HashMap<Tenant, VecDeque<oneshot::Sender<SemaphoreTurn>>>,
    /// The tenants that wait, whoever is next first.
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

/// Leave to compute. It passes to the next when dropped.
pub(crate) struct SemaphoreTurn {
    turns: FairSemaphore,
    /// Cleared when somebody else has it.
    held: bool,
    began: Instant,
}

impl FairSemaphore {
    /// This many at a time.
    pub(crate) fn new(at_once: usize, limits: Limits) -> Self {
        let (waiting, order) = (HashMap::new(), VecDeque::new());
        let state = State { free: at_once, waiting, order, totals: Totals::default() };
        Self { state: Arc::new(Mutex::new(state)), at_once, limits }
    }

    /// Waits for a turn. Who stops waiting leaves the queue.
    pub(crate) async fn take(&self, tenant: Tenant) -> Result<SemaphoreTurn, Full> {
        let asked = Instant::now();
        let turn = {
            let mut state = self.state();
            if let Some(free) = state.free.checked_sub(1) {
                state.free = free;
                return Ok(self.turn());
            }
            state.enter(tenant, self.limits).inspect_err(|Full| state.totals.refused += 1)?
        };
        // The sender is dropped only with the turns themselves.
        let turn = turn.await.map_err(|_| Full)?;
        self.state().totals.waited += asked.elapsed();
        Ok(turn)
    }

    /// How many compute and wait, and what has been computed.
    pub(crate) fn stats(&self) -> PoolStats {
        let state = self.state();
        PoolStats {
            queued: state.waiting.values().map(VecDeque::len).sum(),
            running: self.at_once.saturating_sub(state.free),
            done: state.totals.done,
            waited: state.totals.waited,
            worked: state.totals.worked,
            refused: state.totals.refused,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self) -> SemaphoreTurn {
        SemaphoreTurn { turns: self.clone(), held: true, began: Instant::now() }
    }

    fn pass_on(&self) {
        let mut turn = self.turn();
        loop {
            let next = self.state().next();
            let Some(next) = next else { break turn.held = false };
            match next.send(turn) {
                Ok(()) => break,
                Err(gone) => turn = gone,
            }
        }
    }
}

impl State {
    fn enter(&mut self, tenant: Tenant, limits: Limits) -> Result<oneshot::Receiver<SemaphoreTurn>, Full> {
        if self.is_full(tenant, limits) {
            self.remove_cancelled();
            if self.is_full(tenant, limits) {
                return Err(Full);
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
        let in_all: usize = self.waiting.values().map(VecDeque::len).sum();
        in_all >= limits.in_all || tenant != Tenant::Service && own >= limits.of_tenant
    }

    fn remove_cancelled(&mut self) {
        self.waiting.retain(|_, queue| {
            queue.retain(|sender| !sender.is_closed());
            !queue.is_empty()
        });
        self.order.retain(|tenant| self.waiting.contains_key(tenant));
    }

    /// Whoever is next; without one, the turn is free.
    fn next(&mut self) -> Option<oneshot::Sender<SemaphoreTurn>> {
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
            self.free = self.free.saturating_add(1);
        }
        next
    }
}

impl Drop for SemaphoreTurn {
    fn drop(&mut self) {
        if self.held {
            self.held = false;
            {
                let mut state = self.turns.state();
                state.totals.done += 1;
                state.totals.worked += self.began.elapsed();
            }
            self.turns.pass_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use super::*;

    const LIMITS: Limits = Limits { in_all: 6, of_tenant: 4 };

    fn address(last: u8) -> Tenant {
        Tenant::Address(IpAddr::from([192, 0, 2, last]))
    }

    /// Enters the queue for a tenant and notes its name when its turn has come.
    async fn wait(
        turns: &FairSemaphore,
        tenant: Tenant,
        served: &Arc<Mutex<Vec<Tenant>>>,
    ) -> tokio::task::JoinHandle<()> {
        let (turns, served) = (turns.clone(), served.clone());
        let waiter = tokio::spawn(async move {
            let turn = turns.take(tenant).await.unwrap();
            served.lock().unwrap().push(tenant);
            drop(turn);
        });
        tokio::time::sleep(Duration::from_millis(1)).await;
        waiter
    }

    #[tokio::test]
    async fn tenants_are_served_in_turn_however_much_one_asks() {
        let turns = FairSemaphore::new(1, LIMITS);
        let (first, served) = (turns.take(address(1)).await.unwrap(), Arc::default());
        let mut waiters = Vec::new();
        for last in [1, 1, 1, 2, 2, 3] {
            waiters.push(wait(&turns, address(last), &served).await);
        }
        drop(first);
        for waiter in waiters {
            waiter.await.unwrap();
        }
        assert_eq!(*served.lock().unwrap(), [1, 2, 3, 1, 2, 1].map(address));
    }

    #[tokio::test]
    async fn a_tenant_that_fills_its_share_is_refused_and_others_are_not() {
        let turns = FairSemaphore::new(1, LIMITS);
        let (first, served) = (turns.take(address(1)).await.unwrap(), Arc::default());
        let mut waiters = Vec::new();
        for last in [1, 1, 1, 1, 2] {
            waiters.push(wait(&turns, address(last), &served).await);
        }
        assert_eq!(turns.take(address(1)).await.err(), Some(Full));
        waiters.push(wait(&turns, address(3), &served).await);
        assert_eq!(turns.take(address(4)).await.err(), Some(Full), "six wait");
        let stats = turns.stats();
        assert_eq!((stats.running, stats.queued, stats.refused), (1, 6, 2));

        // Who has gone leaves their place to others.
        let gone = waiters.remove(4);
        gone.abort();
        drop(gone.await);
        waiters.push(wait(&turns, address(4), &served).await);
        drop(first);
        for waiter in waiters {
            waiter.await.unwrap();
        }
        assert_eq!(*served.lock().unwrap(), [1, 3, 4, 1, 1, 1].map(address));
        drop(turns.take(address(5)).await.unwrap());
        let stats = turns.stats();
        assert_eq!((stats.running, stats.queued, stats.done), (0, 0, 8));
        assert!(stats.waited > Duration::ZERO);
        assert_eq!(turns.state.lock().unwrap().free, 1);
    }
}
