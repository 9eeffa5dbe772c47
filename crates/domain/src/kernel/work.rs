//! The lane and tenant of the current work, by which stores schedule it fairly (docs/decisions/0014-lanes.md). They
//! belong to the task and are not arguments of a request, so that ports do not have to pass on what only a scheduler
//! reads. A use case never decides by them.
//!
//! The middleware of requests, the connections of devices and the background jobs begin a scope; access checks name its
//! team or project; the queues of the store and of the compute pool read it. The scope is in a thread-local variable
//! only while its task is polled, so that it follows the task to other threads and no other task sees it. A future that
//! is spawned begins a scope of its own.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::net::{IpAddr, Ipv6Addr};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::kernel::policy::Lane;
use crate::kernel::{AccountId, ProjectId, TeamId, lock};

/// Who the work is for. The tenants of a lane are served in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tenant {
    /// The service itself and its operator.
    Service,
    /// A team with all its projects and API keys.
    Team(TeamId),
    /// An account, if the request has no team or the team is not known yet.
    Account(AccountId),
    /// A caller without a valid credential, by IPv4 address or IPv6 /64 network.
    Address(IpAddr),
}

impl Tenant {
    /// Returns the tenant of an address. All addresses of an IPv6 /64 network, which is what one subscriber gets, are
    /// one tenant.
    pub fn at_address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }
}

/// Returns an IPv4 address unchanged, and the first address of the /64 network of an IPv6 address.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// The lane and tenant of the current task's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Work {
    /// Lane whose workers serve the work.
    pub lane: Lane,
    /// Tenant that the work is for.
    pub tenant: Tenant,
}

/// The work of one task. [`Work::current`] returns it while the task is polled. Clones share their state.
#[derive(Debug, Clone)]
pub struct Scope(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    work: Work,
    /// The project that the work concerns.
    project: Option<ProjectId>,
    /// How long the task has waited for the store so far; `None` if that is not limited in total.
    waited: Option<Duration>,
}

thread_local! {
    static CURRENT: RefCell<Option<Scope>> = const { RefCell::new(None) };
}

impl Scope {
    /// Creates the scope of a request, which may wait for the store for [`Lane::time_limit`] in total.
    pub fn of_request(work: Work) -> Self {
        Self(Arc::new(Mutex::new(State { work, project: None, waited: Some(Duration::ZERO) })))
    }

    /// Runs a future in this scope. If scopes are nested, the innermost one is current.
    pub async fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(move |context| self.enter(|| future.as_mut().poll(context))).await
    }

    /// Runs a closure in this scope.
    pub fn enter<T>(&self, action: impl FnOnce() -> T) -> T {
        let _entered = ScopeGuard::enter(self.clone());
        action()
    }

    /// Returns its work.
    pub fn work(&self) -> Work {
        self.with(|state| state.work)
    }

    /// Returns the project to which the caller got access, if any.
    pub fn project(&self) -> Option<ProjectId> {
        self.with(|state| state.project)
    }

    /// Removes the total time limit, because the response is streamed and each step is limited on its own.
    pub fn remove_time_limit(&self) {
        self.with(|state| state.waited = None);
    }

    fn with<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        action(&mut lock(&self.0))
    }
}

impl Work {
    /// Returns the work of the task that is being polled. Outside a scope, that is interactive work of the service.
    pub fn current() -> Self {
        let outside = Self { lane: Lane::Interactive, tenant: Tenant::Service };
        with_current(|state| state.work).unwrap_or(outside)
    }

    /// Runs a future as this work, without a total time limit: each step is limited on its own.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        Scope(Arc::new(Mutex::new(State { work: self, project: None, waited: None }))).run(future).await
    }

    /// Sets the tenant of the current scope. Has no effect outside a scope.
    pub fn set_tenant(tenant: Tenant) {
        with_current(|state| state.work.tenant = tenant);
    }

    /// Sets the project that the work concerns, and its team as the tenant. Has no effect outside a scope.
    pub fn set_project(project: ProjectId, team: TeamId) {
        with_current(|state| {
            state.work.tenant = Tenant::Team(team);
            state.project = Some(project);
        });
    }

    /// Sets the lane of the current scope. Has no effect outside a scope.
    pub fn set_lane(lane: Lane) {
        with_current(|state| state.work.lane = lane);
    }

    /// Returns how much longer the current task may wait for the store.
    pub fn time_left() -> Duration {
        let left = |state: &mut State| state.work.lane.time_limit().saturating_sub(state.waited.unwrap_or_default());
        with_current(left).unwrap_or_else(|| Lane::Interactive.time_limit())
    }

    /// Adds to the time that the current task has waited for the store.
    pub fn add_waited(time: Duration) {
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

/// Sets the current scope of this thread and restores the previous one on drop.
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
    async fn work_belongs_to_its_task_across_await_points() {
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
    fn an_ipv6_network_is_one_tenant() {
        let of = |text: &str| Tenant::at_address(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }

    #[tokio::test]
    async fn tasks_on_one_thread_do_not_see_each_others_work() {
        let address = Tenant::Address([127, 0, 0, 1].into());
        let first = HEAVY.scope(async {
            Work::set_tenant(address);
            tokio::task::yield_now().await;
            Work::current().tenant
        });
        let second = HEAVY.scope(async {
            tokio::task::yield_now().await;
            Work::current().tenant
        });
        assert_eq!(tokio::join!(first, second), (address, Tenant::Service));
    }

    #[test]
    fn the_response_to_a_request_belongs_to_the_tenant_that_the_request_was_processed_for() {
        let (scope, team) = (Scope::of_request(HEAVY), Tenant::Address([127, 0, 0, 1].into()));
        scope.enter(|| Work::set_tenant(team));
        assert_eq!(scope.work(), Work { tenant: team, ..HEAVY });
    }

    #[tokio::test]
    async fn the_waiting_time_of_a_request_is_limited_until_it_streams_its_response() {
        let scope = Scope::of_request(Work { lane: Lane::Interactive, tenant: Tenant::Service });
        let (limit, second) = (Lane::Interactive.time_limit(), Duration::from_secs(1));
        scope
            .run(async {
                Work::add_waited(second);
                assert_eq!(Work::time_left(), limit.saturating_sub(second));
                Work::set_lane(Lane::Heavy);
                assert_eq!(Work::time_left(), Lane::Heavy.time_limit().saturating_sub(second));
            })
            .await;
        scope.remove_time_limit();
        scope.enter(|| {
            Work::add_waited(second);
            assert_eq!(Work::time_left(), Lane::Heavy.time_limit());
        });
    }
}
