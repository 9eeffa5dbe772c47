//! Token buckets that limit the requests of each caller per class. The limits are generous and each process counts
//! alone: their purpose is fair use. The limits that protect secrets are in the domain.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use governor::clock::Clock;
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::{Quota, RateLimiter as Limiter};
use lru::LruCache;
use steward_api::RateClass;

/// Maximum number of buckets per class, each for callers with and without a credential. Beyond it, the least recently
/// used bucket is evicted.
const MAX_CACHED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(19_999);

/// A rate limit: the rate at which requests are restored, and the maximum number of requests at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Time in which one request is restored.
    interval: Duration,
    /// Maximum number of requests at once.
    burst: NonZeroU32,
}

impl RateLimit {
    /// Returns half of the rate and of the burst.
    fn halved(self) -> Self {
        let burst = NonZeroU32::new(self.burst.get() / 2).unwrap_or(NonZeroU32::MIN);
        Self { interval: self.interval.saturating_mul(2), burst }
    }

    /// Returns the time in which `count` requests are restored, rounded up to whole seconds.
    fn seconds_for(self, count: u32) -> u64 {
        whole_seconds(self.interval.saturating_mul(count))
    }
}

/// A text is not a limit like `200/s burst 2000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidRateLimit;

impl FromStr for RateLimit {
    type Err = InvalidRateLimit;

    /// Parses a limit like `200/s burst 2000` or `30/m burst 10`. Both numbers are from 1 to 1,000,000.
    fn from_str(text: &str) -> Result<Self, InvalidRateLimit> {
        let count = |text: &str| text.parse().ok().filter(|count| (1..=1_000_000).contains(count));
        let parse = || {
            let (rate, burst) = text.split_once(" burst ")?;
            let (rate, unit) = rate.trim().split_once('/')?;
            let period = match unit {
                "s" => Duration::from_secs(1),
                "m" => Duration::from_secs(60),
                _ => return None,
            };
            let interval = period.checked_div(count(rate)?)?;
            Some(Self { interval, burst: NonZeroU32::new(count(burst.trim())?)? })
        };
        parse().ok_or(InvalidRateLimit)
    }
}

/// The limit of each class for callers with a credential. Callers without one share half of it with all callers of
/// their network, except for sign-ins, where the full limit applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is the limit of the class with its name")]
pub struct RateLimits {
    pub reads: RateLimit,
    pub writes: RateLimit,
    pub costly: RateLimit,
    pub sign_ins: RateLimit,
}

/// The key of a caller's bucket: a hash of the credential's holder or of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedBy {
    /// The holder of a credential.
    Credential(u64),
    /// A network.
    Address(u64),
}

/// The status of a caller's bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitStatus {
    /// The class of the limit.
    pub class: RateClass,
    /// Maximum number of requests at once.
    pub burst: u32,
    /// Time in which an empty bucket becomes full, in seconds.
    pub window: u64,
    /// Number of further requests that are allowed now.
    pub remaining: u32,
    /// Time until this bucket is full, in seconds.
    pub reset: u64,
}

/// A request beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitExceeded {
    /// The status of the bucket.
    pub allowance: RateLimitStatus,
    /// Time until the request will be allowed, in seconds.
    pub retry_after: u64,
}

/// Numbers of rejected requests, by class and kind of bucket.
#[derive(Debug, Default)]
pub struct RateLimitStats {
    refusals: [[AtomicU64; 2]; RateClass::LIMITED.len()],
}

impl RateLimitStats {
    /// Returns for each class the number of rejected requests by credential and by address.
    pub fn refusals(&self) -> impl Iterator<Item = (RateClass, [u64; 2])> {
        let counts = self.refusals.iter().map(|counts| counts.each_ref().map(|count| count.load(Ordering::Relaxed)));
        RateClass::LIMITED.into_iter().zip(counts)
    }

    fn count(&self, class: RateClass, by: CountedBy) {
        let index = RateClass::LIMITED.iter().position(|other| *other == class);
        let counts = index.and_then(|index| self.refusals.get(index));
        if let Some([by_credential, by_address]) = counts {
            let count = if matches!(by, CountedBy::Credential(_)) { by_credential } else { by_address };
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Counts the requests of each caller.
pub struct RateLimiter {
    /// `None` if rate limits are disabled.
    buckets: Option<[Buckets; RateClass::LIMITED.len()]>,
    key: RandomState,
    /// The numbers of rejected requests.
    pub stats: RateLimitStats,
}

impl RateLimiter {
    /// Creates a rate limiter. `None` disables all limits.
    pub fn new(limits: Option<RateLimits>) -> Self {
        let buckets = limits.map(|limits| {
            RateClass::LIMITED.map(|class| match class {
                RateClass::Reads | RateClass::Unlimited => Buckets::new(limits.reads, limits.reads.halved()),
                RateClass::Writes => Buckets::new(limits.writes, limits.writes.halved()),
                RateClass::Costly => Buckets::new(limits.costly, limits.costly.halved()),
                RateClass::SignIns => Buckets::new(limits.sign_ins, limits.sign_ins),
            })
        });
        Self { buckets, key: RandomState::new(), stats: RateLimitStats::default() }
    }

    /// Returns the key of a caller's bucket.
    pub fn hash(&self, caller: impl Hash) -> u64 {
        self.key.hash_one(caller)
    }

    /// Counts a request with a cost. Returns `None` if the class is not limited.
    pub fn take(
        &self,
        class: RateClass,
        by: CountedBy,
        cost: NonZeroU32,
    ) -> Option<Result<RateLimitStatus, RateLimitExceeded>> {
        let index = RateClass::LIMITED.iter().position(|other| *other == class)?;
        let buckets = self.buckets.as_ref()?.get(index)?;
        let (bucket, key) = match by {
            CountedBy::Credential(key) => (&buckets.by_credential, key),
            CountedBy::Address(key) => (&buckets.by_address, key),
        };
        let outcome = bucket.take(class, key, cost);
        if outcome.is_err() {
            self.stats.count(class, by);
        }
        Some(outcome)
    }
}

/// The buckets of one class.
struct Buckets {
    by_credential: CallerBuckets,
    by_address: CallerBuckets,
}

impl Buckets {
    fn new(by_credential: RateLimit, by_address: RateLimit) -> Self {
        Self { by_credential: CallerBuckets::new(by_credential), by_address: CallerBuckets::new(by_address) }
    }
}

/// The buckets of all callers with, or all without, a credential.
struct CallerBuckets {
    limit: RateLimit,
    limiter: Limiter<u64, BucketStates, Uptime, StateInformationMiddleware>,
}

impl CallerBuckets {
    fn new(limit: RateLimit) -> Self {
        let quota = Quota::with_period(limit.interval).unwrap_or(Quota::per_second(NonZeroU32::MIN));
        let limiter = Limiter::new(quota.allow_burst(limit.burst), BucketStates::default(), Uptime::default());
        Self { limit, limiter }
    }

    fn take(&self, class: RateClass, key: u64, cost: NonZeroU32) -> Result<RateLimitStatus, RateLimitExceeded> {
        let burst = self.limit.burst;
        let allowance = |remaining: u32| RateLimitStatus {
            class,
            burst: burst.get(),
            window: self.limit.seconds_for(burst.get()),
            remaining,
            reset: self.limit.seconds_for(burst.get().saturating_sub(remaining)),
        };
        // A cost above the burst requires a full bucket.
        match self.limiter.check_key_n(&key, cost.min(burst)) {
            Ok(Ok(state)) => Ok(allowance(state.remaining_burst_capacity())),
            Ok(Err(exceeded)) => {
                let wait = exceeded.wait_time_from(self.limiter.clock().now());
                Err(RateLimitExceeded { allowance: allowance(0), retry_after: whole_seconds(wait).max(1) })
            }
            Err(_) => {
                Err(RateLimitExceeded { allowance: allowance(0), retry_after: self.limit.seconds_for(burst.get()) })
            }
        }
    }
}

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs().saturating_add(u64::from(duration.subsec_nanos() > 0))
}

/// A clock that starts at its creation.
struct Uptime(Instant);

impl Default for Uptime {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Uptime {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The state of each bucket, for a limited number of callers. An evicted bucket becomes a full one.
struct BucketStates(Mutex<LruCache<u64, Nanos>>);

impl Default for BucketStates {
    fn default() -> Self {
        // Avoids the allocation of the full capacity: the cache grows with its callers.
        let mut states = LruCache::unbounded();
        states.resize(MAX_CACHED);
        Self(Mutex::new(states))
    }
}

impl StateStore for BucketStates {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (decided, state) = decide(states.get(key).copied())?;
        states.put(*key, state);
        Ok(decided)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(reads: &str) -> RateLimiter {
        let [reads, other] = [reads, "1/m burst 1"].map(|text| text.parse::<RateLimit>().unwrap());
        RateLimiter::new(Some(RateLimits { reads, writes: other, costly: other, sign_ins: other }))
    }

    fn take(limiter: &RateLimiter, by: CountedBy, cost: u32) -> Result<RateLimitStatus, RateLimitExceeded> {
        limiter.take(RateClass::Reads, by, cost.try_into().unwrap()).unwrap()
    }

    #[test]
    fn a_limit_is_parsed_as_a_rate_and_a_burst() {
        let limit: RateLimit = "200/s burst 2000".parse().unwrap();
        assert_eq!(limit, RateLimit { interval: Duration::from_millis(5), burst: 2000.try_into().unwrap() });
        assert_eq!("30/m burst 1".parse::<RateLimit>().unwrap().interval, Duration::from_secs(2));
        for invalid in
            ["", "200", "200/s", "0/s burst 1", "1/s burst 0", "1/h burst 1", "1/s burst 1000001", "-1/s burst 1"]
        {
            assert!(invalid.parse::<RateLimit>().is_err(), "{invalid}");
        }
    }

    #[test]
    fn each_credential_has_a_bucket_and_each_address_half_of_one() {
        let limiter = limiter("6/m burst 4");
        let (ann, bob) = (CountedBy::Credential(1), CountedBy::Credential(2));
        let first = take(&limiter, ann, 1).unwrap();
        assert_eq!((first.burst, first.window, first.remaining, first.reset), (4, 40, 3, 10));
        assert_eq!(take(&limiter, ann, 3).unwrap().remaining, 0);
        let exceeded = take(&limiter, ann, 1).unwrap_err();
        assert_eq!((exceeded.allowance.remaining, exceeded.retry_after), (0, 10));
        assert!(take(&limiter, bob, 1).is_ok(), "Another credential has its own bucket.");

        let address = CountedBy::Address(1);
        assert!(take(&limiter, address, 2).is_ok());
        assert_eq!(take(&limiter, address, 1).unwrap_err().allowance.window, 40);
        let refusals: Vec<_> = limiter.stats.refusals().filter(|(_, counts)| *counts != [0, 0]).collect();
        assert_eq!(refusals, [(RateClass::Reads, [1, 1])]);
    }

    #[test]
    fn a_cost_above_the_burst_requires_a_full_bucket() {
        let limiter = limiter("6/m burst 4");
        assert_eq!(take(&limiter, CountedBy::Credential(1), 100).unwrap().remaining, 0);
        assert!(take(&limiter, CountedBy::Credential(1), 100).is_err());
    }

    #[test]
    fn the_least_recently_used_bucket_is_evicted() {
        let states = BucketStates::default();
        for key in 0..=u64::try_from(MAX_CACHED.get()).unwrap() {
            states.measure_and_replace(&key, |_| Ok::<_, ()>(((), Nanos::from(1)))).unwrap();
        }
        assert_eq!(states.0.lock().unwrap().len(), MAX_CACHED.get());
        assert!(!states.0.lock().unwrap().contains(&0));
    }

    #[test]
    fn a_disabled_rate_limiter_counts_nothing() {
        assert_eq!(RateLimiter::new(None).take(RateClass::Reads, CountedBy::Address(1), NonZeroU32::MIN), None);
    }
}
