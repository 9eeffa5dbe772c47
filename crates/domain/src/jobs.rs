//! Background jobs: what a bounded step did, and how each job has been doing. Whoever runs the jobs keeps the numbers here;
//! metrics read them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::model::Time;

/// What a bounded step of a background job did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// How many things it worked on.
    pub done: usize,
    /// Whether more is left to do right now.
    pub more: bool,
}

impl Step {
    /// There was nothing to do, or another replica does it.
    pub const IDLE: Self = Self { done: 0, more: false };

    /// It worked on this many things, and more are left if these were as many as it may take.
    pub fn of(done: usize, most: impl Into<usize>) -> Self {
        Self { done, more: done >= most.into() }
    }
}

/// How a job has been doing since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobStats {
    /// When its last step ended.
    pub last_run: Option<Time>,
    /// How long its last step took.
    pub last_length: Duration,
    /// How many steps it took, with those that failed.
    pub steps: u64,
    /// How long all of them took.
    pub total_length: Duration,
    /// How many things it worked on.
    pub done: u64,
    /// How many steps failed.
    pub failures: u64,
    /// Since when it has had more to do than one step could; `None`: it is up to date.
    pub behind_since: Option<Time>,
}

/// The numbers of every job, by name.
#[derive(Debug, Default)]
pub struct JobRegistry(Mutex<BTreeMap<&'static str, JobStats>>);

impl JobRegistry {
    /// Adds a step that ended now. `None`: it failed.
    pub fn record(&self, job: &'static str, ended: Time, length: Duration, step: Option<Step>) {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stats = jobs.entry(job).or_default();
        stats.last_run = Some(ended);
        stats.last_length = length;
        stats.steps = stats.steps.saturating_add(1);
        stats.total_length = stats.total_length.saturating_add(length);
        match step {
            Some(step) => {
                stats.done = stats.done.saturating_add(u64::try_from(step.done).unwrap_or(u64::MAX));
                stats.behind_since = step.more.then(|| stats.behind_since.unwrap_or(ended));
            }
            None => stats.failures = stats.failures.saturating_add(1),
        }
    }

    /// The numbers of every job that ran, in the order of their names.
    pub fn all(&self) -> Vec<(&'static str, JobStats)> {
        let jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.iter().map(|(name, stats)| (*name, *stats)).collect()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::mocks::instant;

    #[test]
    fn a_job_is_behind_from_its_first_full_step_until_one_that_leaves_nothing() {
        let jobs = JobRegistry::default();
        let second = |number| instant() + TimeDelta::seconds(number);
        let took = Duration::from_millis(2);
        jobs.record("expiry", second(1), took, Some(Step::of(10, 10_u16)));
        jobs.record("expiry", second(2), took, Some(Step::of(10, 10_u16)));
        jobs.record("expiry", second(3), took, None);
        let [(name, stats)] = jobs.all().try_into().unwrap();
        assert_eq!((name, stats.steps, stats.done, stats.failures), ("expiry", 3, 20, 1));
        assert_eq!((stats.behind_since, stats.last_run), (Some(second(1)), Some(second(3))));
        assert_eq!(stats.total_length, Duration::from_millis(6));
        jobs.record("expiry", second(4), took, Some(Step::of(9, 10_u16)));
        assert_eq!(jobs.all()[0].1.behind_since, None);
    }
}
