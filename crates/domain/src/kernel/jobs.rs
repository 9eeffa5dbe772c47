//! Background jobs: the result of a bounded step, and statistics per job. The job runner records them and metrics read
//! them.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::kernel::{Time, lock};

/// Result of a bounded step of a background job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// Number of processed entries.
    pub done: usize,
    /// Whether there is more to process right now.
    pub more: bool,
}

impl Step {
    /// There was nothing to do, or another replica does it.
    pub const IDLE: Self = Self { done: 0, more: false };

    /// Creates the result of a step that processed `done` entries. There is more to do if it reached its `limit`.
    pub fn of(done: usize, limit: impl Into<usize>) -> Self {
        Self { done, more: done >= limit.into() }
    }
}

/// Statistics of a job since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobStats {
    /// When the last step ended.
    pub last_run: Option<Time>,
    /// Duration of the last step.
    pub last_duration: Duration,
    /// Number of steps, including failed ones.
    pub steps: u64,
    /// Total duration of all steps.
    pub total_duration: Duration,
    /// Number of processed entries.
    pub done: u64,
    /// Number of failed steps.
    pub failures: u64,
    /// Since when the job has had more to do than fits into one step; `None` if it is up to date.
    pub behind_since: Option<Time>,
}

/// Statistics of every job, by name.
#[derive(Debug, Default)]
pub struct JobRegistry(Mutex<BTreeMap<&'static str, JobStats>>);

impl JobRegistry {
    /// Records a step that ended at `ended`. `step` is `None` if it failed.
    pub fn record(&self, job: &'static str, ended: Time, length: Duration, step: Option<Step>) {
        let mut jobs = lock(&self.0);
        let stats = jobs.entry(job).or_default();
        stats.last_run = Some(ended);
        stats.last_duration = length;
        stats.steps += 1;
        stats.total_duration = stats.total_duration.saturating_add(length);
        match step {
            Some(step) => {
                stats.done = stats.done.saturating_add(u64::try_from(step.done).unwrap_or(u64::MAX));
                stats.behind_since = step.more.then(|| stats.behind_since.unwrap_or(ended));
            }
            None => stats.failures += 1,
        }
    }

    /// Returns the statistics of every job that has run, ordered by name.
    pub fn all(&self) -> Vec<(&'static str, JobStats)> {
        lock(&self.0).iter().map(|(name, stats)| (*name, *stats)).collect()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::mocks::instant;

    #[test]
    fn a_job_is_behind_from_its_first_full_step_until_a_step_that_is_not_full() {
        let jobs = JobRegistry::default();
        let second = |number| instant() + TimeDelta::seconds(number);
        let duration = Duration::from_millis(2);
        jobs.record("expiry", second(1), duration, Some(Step::of(10, 10_u16)));
        jobs.record("expiry", second(2), duration, Some(Step::of(10, 10_u16)));
        jobs.record("expiry", second(3), duration, None);
        let [(name, stats)] = jobs.all().try_into().unwrap();
        assert_eq!((name, stats.steps, stats.done, stats.failures), ("expiry", 3, 20, 1));
        assert_eq!((stats.behind_since, stats.last_run), (Some(second(1)), Some(second(3))));
        assert_eq!(stats.total_duration, Duration::from_millis(6));
        jobs.record("expiry", second(4), duration, Some(Step::of(9, 10_u16)));
        assert_eq!(jobs.all()[0].1.behind_since, None);
    }
}
