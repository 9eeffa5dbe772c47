//! Token buckets: how many requests of each class one caller may send. Generous, and counted by each process alone: they
//! share what is scarce. The limits that guard secrets are the domain's.

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
use steward_domain::policy::RateClass;

/// How many callers are remembered in each class, with and without a credential; beyond that the one who requested
/// something longest ago is forgotten.
const MAX_CACHED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(19_999);

/// A limit: how fast requests are allowed again, and how many may come at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// After which time one more is allowed.
    interval: Duration,
    burst: NonZeroU32,
}

impl RateLimit {
    /// Half of it.
    fn halved(self) -> Self {
        let burst = NonZeroU32::new(self.burst.get() / 2).unwrap_or(NonZeroU32::MIN);
        Self { interval: self.interval.saturating_mul(2), burst }
    }

    /// How long it takes until `count` requests are allowed again, in whole seconds.
    fn seconds_for(self, count: u32) -> u64 {
        whole_seconds(self.interval.saturating_mul(count))
    }
}

/// A text that is not a limit like `200/s burst 2000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidRateLimit;

impl FromStr for RateLimit {
    type Err = InvalidRateLimit;

    /// Parses a limit like `200/s burst 2000` or `30/m burst 10`: 1 to 1,000,000 each.
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

/// The limit of each class, for callers with a credential. Callers without one share half of it with everybody at their
/// address; sign-ins are always counted by address, and whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is the class it is named after")]
pub struct RateLimits {
    pub reads: RateLimit,
    pub writes: RateLimit,
    pub costly: RateLimit,
    pub sign_ins: RateLimit,
}

/// By what a caller is counted: a hash of the credential's holder, or of the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountedBy {
    Credential(u64),
    Address(u64),
}

/// What is left to a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RateLimitStatus {
    pub class: RateClass,
    pub burst: u32,
    /// How long it takes until an empty bucket is full again.
    pub window: u64,
    pub remaining: u32,
    /// How long it takes until this bucket is full again, in seconds.
    pub reset: u64,
}

/// A request beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RateLimitExceeded {
    pub allowance: RateLimitStatus,
    /// After how many seconds it will be allowed.
    pub retry_after: u64,
}

/// How many requests were refused, by class and by what they were counted.
#[derive(Debug, Default)]
pub struct RateLimitStats {
    refusals: [[AtomicU64; 2]; RateClass::LIMITED.len()],
}

impl RateLimitStats {
    /// For each class: how many requests were refused by credential and by address.
    pub fn refusals(&self) -> impl Iterator<Item = (RateClass, [u64; 2])> {
        let counts = self.refusals.iter().map(|counts| counts.each_ref().map(|count| count.load(Ordering::Relaxed)));
        RateClass::LIMITED.into_iter().zip(counts)
    }

    fn count(&self, class: RateClass, by: CountedBy) {
        let of_class = RateClass::LIMITED.iter().position(|other| *other == class);
        let counts = of_class.and_then(|place| self.refusals.get(place));
        if let Some([of_credentials, of_addresses]) = counts {
            let count = if matches!(by, CountedBy::Credential(_)) { of_credentials } else { of_addresses };
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Counts the requests of each caller.
pub struct RateLimiter {
    /// `None`: nothing is counted.
    buckets: Option<[Buckets; RateClass::LIMITED.len()]>,
    key: RandomState,
    stats: RateLimitStats,
}

impl RateLimiter {
    /// Counts against these limits; without any, it counts nothing.
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

    /// What it refused so far.
    pub fn stats(&self) -> &RateLimitStats {
        &self.stats
    }

    pub(crate) fn hash(&self, caller: impl Hash) -> u64 {
        self.key.hash_one(caller)
    }

    /// Counts a request that costs this much. `None`: it is not limited.
    pub(crate) fn take(
        &self,
        class: RateClass,
        by: CountedBy,
        cost: NonZeroU32,
    ) -> Option<Result<RateLimitStatus, RateLimitExceeded>> {
        let place = RateClass::LIMITED.iter().position(|other| *other == class)?;
        let buckets = self.buckets.as_ref()?.get(place)?;
        let (bucket, key) = match by {
            CountedBy::Credential(key) => (&buckets.of_credentials, key),
            CountedBy::Address(key) => (&buckets.of_addresses, key),
        };
        let taken = bucket.take(class, key, cost);
        if taken.is_err() {
            self.stats.count(class, by);
        }
        Some(taken)
    }
}

/// The buckets of one class.
struct Buckets {
    of_credentials: Bucket,
    of_addresses: Bucket,
}

impl Buckets {
    fn new(of_credentials: RateLimit, of_addresses: RateLimit) -> Self {
        Self { of_credentials: Bucket::new(of_credentials), of_addresses: Bucket::new(of_addresses) }
    }
}

/// A bucket for each caller of one kind.
struct Bucket {
    limit: RateLimit,
    limiter: Limiter<u64, BucketStates, Uptime, StateInformationMiddleware>,
}

impl Bucket {
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
        // What costs more than a full bucket takes a full one.
        match self.limiter.check_key_n(&key, cost.min(burst)) {
            Ok(Ok(left)) => Ok(allowance(left.remaining_burst_capacity())),
            Ok(Err(refused)) => {
                let wait = refused.wait_time_from(self.limiter.clock().now());
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

/// The time since it was made.
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

/// The state of each bucket, of a bounded number of callers: a bucket that is forgotten is a full one.
struct BucketStates(Mutex<LruCache<u64, Nanos>>);

impl Default for BucketStates {
    fn default() -> Self {
        // It grows with its callers.
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
    fn a_limit_is_written_as_a_rate_and_a_burst() {
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
    fn each_caller_has_a_bucket_and_an_address_half_of_one() {
        let limiter = limiter("6/m burst 4");
        let (ann, bob) = (CountedBy::Credential(1), CountedBy::Credential(2));
        let first = take(&limiter, ann, 1).unwrap();
        assert_eq!((first.burst, first.window, first.remaining, first.reset), (4, 40, 3, 10));
        assert_eq!(take(&limiter, ann, 3).unwrap().remaining, 0);
        let refused = take(&limiter, ann, 1).unwrap_err();
        assert_eq!((refused.allowance.remaining, refused.retry_after), (0, 10));
        assert!(take(&limiter, bob, 1).is_ok(), "another credential has its own");

        let address = CountedBy::Address(1);
        assert!(take(&limiter, address, 2).is_ok());
        assert_eq!(take(&limiter, address, 1).unwrap_err().allowance.window, 40);
        let refusals: Vec<_> = limiter.stats().refusals().filter(|(_, counts)| *counts != [0, 0]).collect();
        assert_eq!(refusals, [(RateClass::Reads, [1, 1])]);
    }

    #[test]
    fn what_costs_more_than_a_bucket_holds_takes_a_full_one() {
        let limiter = limiter("6/m burst 4");
        assert_eq!(take(&limiter, CountedBy::Credential(1), 100).unwrap().remaining, 0);
        assert!(take(&limiter, CountedBy::Credential(1), 100).is_err());
    }

    #[test]
    fn callers_beyond_those_remembered_are_forgotten() {
        let states = BucketStates::default();
        for key in 0..=u64::try_from(MAX_CACHED.get()).unwrap() {
            states.measure_and_replace(&key, |_| Ok::<_, ()>(((), Nanos::from(1)))).unwrap();
        }
        assert_eq!(states.0.lock().unwrap().len(), MAX_CACHED.get());
        assert!(!states.0.lock().unwrap().contains(&0));
    }

    #[test]
    fn switched_off_nothing_is_counted() {
        assert_eq!(RateLimiter::new(None).take(RateClass::Reads, CountedBy::Address(1), NonZeroU32::MIN), None);
    }
}
