//! For whom work is done right now: the lane and the tenant by which stores schedule it fairly (architecture, lanes). It
//! belongs to a task, not to a request's arguments, so that no port has to pass on what only a scheduler reads.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::net::{IpAddr, Ipv6Addr};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::model::{AccountId, TeamId};
use crate::policy::Lane;

/// Whose share of the service work counts against. Tenants of a lane are served in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tenant {
    /// The service itself and its operator.
    Service,
    /// A team, with all its projects and keys.
    Team(TeamId),
    /// A person whose request is about no team, or about one that is not known yet.
    Account(AccountId),
    /// Somebody without a known credential, by address; for IPv6 its /64 network.
    Address(IpAddr),
}

impl Tenant {
    /// Whoever is at this address: with IPv6, anybody in the /64 network that one subscriber gets.
    pub fn at_address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }
}

/// Whom an address stands for: itself, or with IPv6 its /64 network, named by its first address.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// The lane and tenant of the current task's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Work {
    /// Which workers serve it.
    pub lane: Lane,
    /// Whose share it counts against.
    pub tenant: Tenant,
}

/// The work of one task. Whatever is done for the task finds it by [`Work::current`]; clones share it.
#[derive(Debug, Clone)]
pub struct Scope(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    work: Work,
    /// How long the task has waited for the store so far. `None`: it is not counted.
    waited: Option<Duration>,
}

thread_local! {
    static CURRENT: RefCell<Option<Scope>> = const { RefCell::new(None) };
}

impl Scope {
    /// The scope of a task that may go on for as long as it needs, one bounded step after the other.
    pub fn of_task(work: Work) -> Self {
        Self(Arc::new(Mutex::new(State { work, waited: None })))
    }

    /// The scope of a request, which may wait for the store for [`Lane::time_limit`] in all.
    pub fn of_request(work: Work) -> Self {
        Self(Arc::new(Mutex::new(State { work, waited: Some(Duration::ZERO) })))
    }

    /// Runs a future in this scope. Scopes nest; the innermost counts.
    pub async fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(move |context| self.enter(|| future.as_mut().poll(context))).await
    }

    /// Does something in this scope.
    pub fn enter<T>(&self, action: impl FnOnce() -> T) -> T {
        let _entered = ScopeGuard::enter(self.clone());
        action()
    }

    /// From now on what is waited is not counted any more: the response is streamed, each step bounded for itself.
    pub fn is_streamed(&self) {
        self.with(|state| state.waited = None);
    }

    fn with<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        action(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Work {
    /// The work of the task that is being polled. Outside of a scope: interactive work of the service.
    pub fn current() -> Self {
        let outside = Self { lane: Lane::Interactive, tenant: Tenant::Service };
        with_current(|state| state.work).unwrap_or(outside)
    }

    /// Runs a future as this work, for as long as it needs.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        Scope::of_task(self).run(future).await
    }

    /// From now on the current scope counts against this tenant. Without effect outside of a scope.
    pub fn belongs_to(tenant: Tenant) {
        with_current(|state| state.work.tenant = tenant);
    }

    /// From now on the current scope is served by this lane. Without effect outside of a scope.
    pub fn moves_to(lane: Lane) {
        with_current(|state| state.work.lane = lane);
    }

    /// How much longer the current task may wait for the store.
    pub fn time_left() -> Duration {
        let left = |state: &mut State| state.work.lane.time_limit().saturating_sub(state.waited.unwrap_or_default());
        with_current(left).unwrap_or_else(|| Lane::Interactive.time_limit())
    }

    /// The current task has waited so long for the store.
    pub fn has_waited(time: Duration) {
        with_current(|state| {
            if let Some(waited) = &mut state.waited {
                *waited = waited.saturating_add(time);
            }
        });
    }
}

fn with_current<T>(action: impl FnOnce(&mut State) -> T) -> Option<T> {
    let current = CURRENT.with_borrow(Clone::clone)?;
    Some(current.with(action))
}

/// The current scope of this thread while a future is polled; the one around it is restored on drop.
struct ScopeGuard(Option<Scope>);

impl ScopeGuard {
    fn enter(scope: Scope) -> Self {
        Self(CURRENT.replace(Some(scope)))
    }
}

impl Drop for ScopeGuard {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAVY: Work = Work { lane: Lane::Heavy, tenant: Tenant::Service };

    #[tokio::test]
    async fn work_follows_its_task_across_waits_and_ends_with_it() {
        let outside = Work::current();
        HEAVY
            .scope(async {
                tokio::task::yield_now().await;
                assert_eq!(Work::current(), HEAVY);
                let inner = Work { lane: Lane::Background, tenant: Tenant::Service };
                inner.scope(async { assert_eq!(Work::current(), inner) }).await;
                assert_eq!(Work::current(), HEAVY);
            })
            .await;
        assert_eq!(Work::current(), outside);
    }

    #[test]
    fn a_network_of_ipv6_is_one_tenant() {
        let of = |text: &str| Tenant::at_address(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }

    #[tokio::test]
    async fn tasks_on_one_thread_do_not_see_each_others_work() {
        let address = Tenant::Address([127, 0, 0, 1].into());
        let first = HEAVY.scope(async {
            Work::belongs_to(address);
            tokio::task::yield_now().await;
            Work::current().tenant
        });
        let second = HEAVY.scope(async {
            tokio::task::yield_now().await;
            Work::current().tenant
        });
        assert_eq!(tokio::join!(first, second), (address, Tenant::Service));
    }

    #[tokio::test]
    async fn what_a_request_waits_is_counted_until_it_streams_its_response() {
        let scope = Scope::of_request(Work { lane: Lane::Interactive, tenant: Tenant::Service });
        let (limit, second) = (Lane::Interactive.time_limit(), Duration::from_secs(1));
        scope
            .run(async {
                Work::has_waited(second);
                assert_eq!(Work::time_left(), limit.saturating_sub(second));
                Work::moves_to(Lane::Heavy);
                assert_eq!(Work::time_left(), Lane::Heavy.time_limit().saturating_sub(second));
            })
            .await;
        scope.is_streamed();
        scope.enter(|| {
            Work::has_waited(second);
            assert_eq!(Work::time_left(), Lane::Heavy.time_limit());
        });
    }
}
