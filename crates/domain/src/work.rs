//! For whom work is done right now: the lane and the tenant by which stores schedule it fairly (architecture, lanes). It
//! belongs to a task, not to a request's arguments, so that no port has to pass on what only a scheduler reads.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::net::{IpAddr, Ipv6Addr};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

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

thread_local! {
    static CURRENT: RefCell<Option<Arc<Mutex<Work>>>> = const { RefCell::new(None) };
}

impl Work {
    /// The work of the task that is being polled. Outside [`Work::scope`]: interactive work of the service.
    pub fn current() -> Self {
        let outside = Self { lane: Lane::Interactive, tenant: Tenant::Service };
        with_current(|work| *work).unwrap_or(outside)
    }

    /// Runs a future as this work. Scopes nest; the innermost counts.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        let work = Arc::new(Mutex::new(self));
        let mut future = pin!(future);
        poll_fn(move |context| {
            let _entered = Entered::enter(work.clone());
            future.as_mut().poll(context)
        })
        .await
    }

    /// From now on the current scope counts against this tenant. Without effect outside [`Work::scope`].
    pub fn belongs_to(tenant: Tenant) {
        with_current(|work| work.tenant = tenant);
    }

    /// From now on the current scope is served by this lane. Without effect outside [`Work::scope`].
    pub fn moves_to(lane: Lane) {
        with_current(|work| work.lane = lane);
    }
}

fn with_current<T>(f: impl FnOnce(&mut Work) -> T) -> Option<T> {
    let current = CURRENT.with_borrow(Clone::clone)?;
    let mut work = current.lock().unwrap_or_else(PoisonError::into_inner);
    Some(f(&mut work))
}

/// The current work of this thread while a future is polled; the work around it is restored on drop.
struct Entered(Option<Arc<Mutex<Work>>>);

impl Entered {
    fn enter(work: Arc<Mutex<Work>>) -> Self {
        Self(CURRENT.replace(Some(work)))
    }
}

impl Drop for Entered {
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
}
