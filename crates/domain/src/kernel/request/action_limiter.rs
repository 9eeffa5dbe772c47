//! Rate limiting with the generic cell rate algorithm, over a bounded number of keys.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use chrono::TimeDelta;
use lru::LruCache;

use crate::kernel::error::Error;
use crate::kernel::policy::LimitedAction;
use crate::kernel::work::network;
use crate::kernel::{LimitOutcome, RateLimitStore, Request, Time, TokenVault, lock};

/// Maximum number of tracked keys. Above it, the least recently used key is dropped.
const MAX_TRACKED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(99_999);

type Cells = LruCache<(LimitedAction, String), Time>;

/// Counts attempts, per process or, for actions that protect a secret, across all replicas. A process checks its own
/// count first, so that a flood of requests does not reach the database.
pub struct ActionLimiter {
    /// The time at which each key has no more counted attempts. `None` if rate limiting is off.
    cells: Option<Mutex<Cells>>,
    shared: Option<Shared>,
    refusals: [AtomicU64; LimitedAction::ALL.len()],
}

/// Counter shared by all replicas. Only a digest of the key is stored.
struct Shared {
    counter: Arc<dyn RateLimitStore>,
    vault: Arc<dyn TokenVault>,
}

impl ActionLimiter {
    /// Creates a limiter that counts attempts in this process.
    pub fn on() -> Self {
        let cells = Some(Mutex::new(LruCache::new(MAX_TRACKED)));
        Self { cells, ..Self::off() }
    }

    /// Creates a limiter that allows everything.
    pub fn off() -> Self {
        Self { cells: None, shared: None, refusals: [const { AtomicU64::new(0) }; LimitedAction::ALL.len()] }
    }

    /// Also counts actions that protect a secret across all replicas. Has no effect if rate limiting is off.
    pub(crate) fn sharing(self, counter: Arc<dyn RateLimitStore>, vault: Arc<dyn TokenVault>) -> Self {
        let shared = self.cells.is_some().then_some(Shared { counter, vault });
        Self { shared, ..self }
    }

    /// Number of refused attempts per action since the process started.
    pub fn refusals(&self) -> impl Iterator<Item = (LimitedAction, u64)> {
        LimitedAction::ALL.iter().copied().zip(self.refusals.iter().map(|count| count.load(Ordering::Relaxed)))
    }

    /// Counts an attempt by this subject, or returns `TooMany`.
    pub async fn take(&self, action: LimitedAction, subject: &str, now: Time) -> Result<(), Error> {
        self.take_local(action, subject, now)?;
        let Some(shared) = self.shared.as_ref().filter(|_| action.is_shared()) else { return Ok(()) };
        match shared.counter.count_action(&shared.digest(action, subject), action.limit(), now).await? {
            LimitOutcome::Counted => Ok(()),
            LimitOutcome::Refused { at_rest } => {
                if let Some(mut cells) = self.cells() {
                    cells.put((action, subject.to_owned()), at_rest);
                }
                Err(self.refused(action, at_rest, now))
            }
        }
    }

    fn take_local(&self, action: LimitedAction, subject: &str, now: Time) -> Result<(), Error> {
        let Some(mut cells) = self.cells() else { return Ok(()) };
        let limit = action.limit();
        let key = (action, subject.to_owned());
        let at_rest = cells.get(&key).copied().unwrap_or(now).max(now);
        if at_rest > now + limit.burst_tolerance() {
            return Err(self.refused(action, at_rest, now));
        }
        cells.put(key, at_rest + limit.interval);
        Ok(())
    }

    fn refused(&self, action: LimitedAction, at_rest: Time, now: Time) -> Error {
        let index = LimitedAction::ALL.iter().position(|other| *other == action);
        if let Some(count) = index.and_then(|index| self.refusals.get(index)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let wait = (at_rest - now - action.limit().burst_tolerance()).max(TimeDelta::zero());
        Error::TooMany { retry_after: TimeDelta::seconds(wait.num_seconds().saturating_add(1)) }
    }

    /// Removes an attempt from the count, because it was not a guess. If the store fails, the attempt stays counted.
    pub async fn refund(&self, action: LimitedAction, subject: &str) {
        if let Some(mut cells) = self.cells()
            && let Some(at_rest) = cells.get_mut(&(action, subject.to_owned()))
        {
            *at_rest -= action.limit().interval;
        }
        if let Some(shared) = self.shared.as_ref().filter(|_| action.is_shared()) {
            drop(shared.counter.uncount_action(&shared.digest(action, subject), action.limit()).await);
        }
    }

    /// Counts an attempt by the request's network. Requests without an address, such as commands, are not counted.
    pub async fn take_from(&self, action: LimitedAction, request: &Request, now: Time) -> Result<(), Error> {
        let Some(address) = request.address else { return Ok(()) };
        self.take(action, &network(address).to_string(), now).await
    }

    /// Takes an attempt back that [`ActionLimiter::take_from`] counted.
    pub async fn refund_from(&self, action: LimitedAction, request: &Request) {
        if let Some(address) = request.address {
            self.refund(action, &network(address).to_string()).await;
        }
    }

    fn cells(&self) -> Option<MutexGuard<'_, Cells>> {
        self.cells.as_ref().map(lock)
    }
}

impl Shared {
    fn digest(&self, action: LimitedAction, subject: &str) -> String {
        self.vault.sha256(&format!("attempt {} {subject}", action.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{MockRateLimitStore, MockTokenVault, instant};

    #[tokio::test]
    async fn a_burst_is_allowed_then_one_attempt_per_interval() {
        let (action_limiter, action, now) = (ActionLimiter::on(), LimitedAction::SignInTo, instant());
        let limit = action.limit();
        let interval = limit.interval;
        for _ in 0..limit.burst {
            action_limiter.take(action, "ann", now).await.unwrap();
        }
        let Err(Error::TooMany { retry_after }) = action_limiter.take(action, "ann", now).await else {
            panic!("The attempt was allowed.")
        };
        assert!(retry_after >= interval && retry_after <= interval + TimeDelta::seconds(1));
        assert!(action_limiter.take(action, "bob", now).await.is_ok());
        assert!(action_limiter.take(action, "ann", now + interval).await.is_ok());
        assert!(action_limiter.take(action, "ann", now + interval).await.is_err());
        action_limiter.refund(action, "ann").await;
        assert!(action_limiter.take(action, "ann", now + interval).await.is_ok());
        let refused: Vec<_> = action_limiter.refusals().filter(|(_, count)| *count > 0).collect();
        assert_eq!(refused, [(action, 2)]);
    }

    #[tokio::test]
    async fn everything_is_allowed_if_rate_limiting_is_off() {
        let action_limiter = ActionLimiter::off();
        for _ in 0..1000 {
            action_limiter.take(LimitedAction::EmailTo, "ann", instant()).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_refusal_by_the_shared_counter_is_cached_in_the_process() {
        let (action, now) = (LimitedAction::SignInTo, instant());
        let at_rest = now + action.limit().interval * i32::from(action.limit().burst);
        let mut counter = MockRateLimitStore::new();
        counter.expect_count_action().times(1).returning(move |_, _, _| Ok(LimitOutcome::Refused { at_rest }));
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(str::to_owned);
        let action_limiter = ActionLimiter::on().sharing(Arc::new(counter), Arc::new(vault));
        for _ in 0..3 {
            let Err(Error::TooMany { retry_after }) = action_limiter.take(action, "ann", now).await else {
                panic!("The attempt was allowed.")
            };
            assert_eq!(retry_after, action.limit().interval + TimeDelta::seconds(1));
        }
        for _ in 0..3 {
            action_limiter.take(LimitedAction::AuthorizeFrom, "192.0.2.1", now).await.unwrap();
        }
    }
}
