//! How often something may be tried: the generic cell rate algorithm, over a bounded number of those who try.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::TimeDelta;
use lru::LruCache;

use crate::error::Error;
use crate::model::{Request, Time};
use crate::policy::LimitedAction;
use crate::ports::{LimitOutcome, RateLimitStore, TokenVault};
use crate::work::network;

/// How many of those who try are remembered; beyond that the one who tried longest ago is forgotten.
const MAX_TRACKED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(99_999);

type Cells = LruCache<(LimitedAction, String), Time>;

/// Counts attempts: each process by itself, and what guards a secret by all replicas together. A process refuses by its own
/// count first, so that no flood reaches the database.
pub struct RateLimiter {
    /// When each would be at rest again, had they stopped trying. `None`: nothing is counted.
    cells: Option<Mutex<Cells>>,
    shared: Option<Shared>,
    refusals: [AtomicU64; LimitedAction::ALL.len()],
}

/// The count of all replicas. Of whoever tries, only a digest is stored.
struct Shared {
    counter: Arc<dyn RateLimitStore>,
    vault: Arc<dyn TokenVault>,
}

impl RateLimiter {
    /// Counts.
    pub fn on() -> Self {
        let cells = Some(Mutex::new(LruCache::new(MAX_TRACKED)));
        Self { cells, ..Self::off() }
    }

    /// Lets everything pass.
    pub fn off() -> Self {
        Self { cells: None, shared: None, refusals: [const { AtomicU64::new(0) }; LimitedAction::ALL.len()] }
    }

    /// The same, which counts what guards a secret together with all other replicas.
    pub(super) fn sharing(self, counter: Arc<dyn RateLimitStore>, vault: Arc<dyn TokenVault>) -> Self {
        let shared = self.cells.is_some().then_some(Shared { counter, vault });
        Self { shared, ..self }
    }

    /// How many attempts of each kind were refused since the process began.
    pub fn refusals(&self) -> impl Iterator<Item = (LimitedAction, u64)> {
        LimitedAction::ALL.iter().copied().zip(self.refusals.iter().map(|count| count.load(Ordering::Relaxed)))
    }

    /// One more attempt by whoever the name tells, or `TooMany`.
    pub async fn take(&self, attempt: LimitedAction, whose: &str, now: Time) -> Result<(), Error> {
        self.take_here(attempt, whose, now)?;
        let Some(shared) = self.shared.as_ref().filter(|_| attempt.is_shared()) else { return Ok(()) };
        match shared.counter.count_action(&shared.digest(attempt, whose), attempt.limit(), now).await? {
            LimitOutcome::Counted => Ok(()),
            LimitOutcome::Refused { at_rest } => {
                if let Some(mut cells) = self.cells() {
                    cells.put((attempt, whose.to_owned()), at_rest);
                }
                Err(self.refused(attempt, at_rest, now))
            }
        }
    }

    fn take_here(&self, attempt: LimitedAction, whose: &str, now: Time) -> Result<(), Error> {
        let Some(mut cells) = self.cells() else { return Ok(()) };
        let limit = attempt.limit();
        let key = (attempt, whose.to_owned());
        let at_rest = cells.get(&key).copied().unwrap_or(now).max(now);
        if at_rest > now + limit.span_before_last() {
            return Err(self.refused(attempt, at_rest, now));
        }
        cells.put(key, at_rest + limit.interval);
        Ok(())
    }

    fn refused(&self, attempt: LimitedAction, at_rest: Time, now: Time) -> Error {
        let place = LimitedAction::ALL.iter().position(|other| *other == attempt);
        if let Some(count) = place.and_then(|place| self.refusals.get(place)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let wait = (at_rest - now - attempt.limit().span_before_last()).max(TimeDelta::zero());
        Error::TooMany { retry_after: TimeDelta::seconds(wait.num_seconds().saturating_add(1)) }
    }

    /// Takes an attempt back: it was no guess. Where that cannot be stored, it stays counted.
    pub async fn give_back(&self, attempt: LimitedAction, whose: &str) {
        if let Some(mut cells) = self.cells()
            && let Some(at_rest) = cells.get_mut(&(attempt, whose.to_owned()))
        {
            *at_rest -= attempt.limit().interval;
        }
        if let Some(shared) = self.shared.as_ref().filter(|_| attempt.is_shared()) {
            drop(shared.counter.uncount_action(&shared.digest(attempt, whose), attempt.limit()).await);
        }
    }

    /// One more attempt from where the request comes. Commands are not counted.
    pub async fn take_from(&self, attempt: LimitedAction, request: &Request, now: Time) -> Result<(), Error> {
        match request.address {
            Some(address) => self.take(attempt, &network(address).to_string(), now).await,
            None => Ok(()),
        }
    }

    fn cells(&self) -> Option<MutexGuard<'_, Cells>> {
        self.cells.as_ref().map(|cells| cells.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shared {
    fn digest(&self, attempt: LimitedAction, whose: &str) -> String {
        self.vault.sha256(&format!("attempt {} {whose}", attempt.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{MockRateLimitStore, MockTokenVault, instant};

    #[tokio::test]
    async fn a_burst_passes_then_one_in_each_interval() {
        let (rate_limiter, attempt, now) = (RateLimiter::on(), LimitedAction::SignInTo, instant());
        let limit = attempt.limit();
        let interval = limit.interval;
        for _ in 0..limit.burst {
            rate_limiter.take(attempt, "ann", now).await.unwrap();
        }
        let Err(Error::TooMany { retry_after }) = rate_limiter.take(attempt, "ann", now).await else {
            panic!("it passed")
        };
        assert!(retry_after >= interval && retry_after <= interval + TimeDelta::seconds(1));
        assert!(rate_limiter.take(attempt, "bob", now).await.is_ok());
        assert!(rate_limiter.take(attempt, "ann", now + interval).await.is_ok());
        assert!(rate_limiter.take(attempt, "ann", now + interval).await.is_err());
        rate_limiter.give_back(attempt, "ann").await;
        assert!(rate_limiter.take(attempt, "ann", now + interval).await.is_ok());
        let refused: Vec<_> = rate_limiter.refusals().filter(|(_, count)| *count > 0).collect();
        assert_eq!(refused, [(attempt, 2)]);
    }

    #[tokio::test]
    async fn switched_off_everything_passes() {
        let rate_limiter = RateLimiter::off();
        for _ in 0..1000 {
            rate_limiter.take(LimitedAction::EmailTo, "ann", instant()).await.unwrap();
        }
    }

    #[tokio::test]
    async fn what_other_replicas_counted_is_refused_here_without_asking_again() {
        let (attempt, now) = (LimitedAction::SignInTo, instant());
        let at_rest = now + attempt.limit().interval * i32::from(attempt.limit().burst);
        let mut counter = MockRateLimitStore::new();
        counter.expect_count_action().times(1).returning(move |_, _, _| Ok(LimitOutcome::Refused { at_rest }));
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(str::to_owned);
        let rate_limiter = RateLimiter::on().sharing(Arc::new(counter), Arc::new(vault));
        for _ in 0..3 {
            let Err(Error::TooMany { retry_after }) = rate_limiter.take(attempt, "ann", now).await else {
                panic!("it passed")
            };
            assert_eq!(retry_after, attempt.limit().interval + TimeDelta::seconds(1));
        }
        for _ in 0..3 {
            rate_limiter.take(LimitedAction::AuthorizeFrom, "192.0.2.1", now).await.unwrap();
        }
    }
}
