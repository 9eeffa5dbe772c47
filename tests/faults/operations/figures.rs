//! What clients measured: requests, retries, and the longest time without a success.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Measurements that several clients share.
#[derive(Clone, Default)]
pub struct Figures(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    requests: usize,
    retries: BTreeMap<String, usize>,
    failures: Vec<String>,
    successes: Vec<Instant>,
}

impl Figures {
    /// Records a request that needs no further attempt.
    pub fn succeed(&self) {
        let mut counts = self.counts();
        counts.requests += 1;
        counts.successes.push(Instant::now());
    }

    /// Records a request that is repeated for this reason.
    pub fn retry(&self, reason: &str) {
        let mut counts = self.counts();
        counts.requests += 1;
        *counts.retries.entry(reason.to_owned()).or_default() += 1;
    }

    /// Records a failure that repetition does not cure.
    pub fn fail(&self, failure: String) {
        let mut counts = self.counts();
        counts.requests += 1;
        counts.failures.push(failure);
    }

    pub fn successes(&self) -> usize {
        self.counts().successes.len()
    }

    /// The failures that repetition did not cure.
    pub fn failures(&self) -> Vec<String> {
        self.counts().failures.clone()
    }

    /// Returns the longest time between two successes, and when it ended.
    pub fn longest_pause(&self) -> (Duration, Instant) {
        let successes = self.counts().successes.clone();
        let pauses = successes.windows(2).map(|pair| (pair[1] - pair[0], pair[1]));
        pauses.max_by_key(|(pause, _)| *pause).unwrap_or((Duration::ZERO, Instant::now()))
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts();
        let (retries, failures) = (counts.retries.values().sum::<usize>(), counts.failures.len());
        write!(f, "{} requests, {retries} repeated {:?}, {failures} not cured", counts.requests, counts.retries)
    }
}
