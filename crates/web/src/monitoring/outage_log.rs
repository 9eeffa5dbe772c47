//! Keeps an outage from flooding the log: of the failures for the same cause, one each second is logged.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Interval between the lines of one cause.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of causes with lines of their own. Further ones share theirs.
const MAX_CAUSES: usize = 32;

/// The causes of failures that were logged recently.
#[derive(Debug, Default)]
pub struct OutageLog(Mutex<HashMap<String, Repeated>>);

#[derive(Debug)]
struct Repeated {
    logged_at: Instant,
    /// Number of failures since that were not logged.
    count: u64,
}

impl OutageLog {
    /// Returns whether to log a failure for this cause: the number of failures that were not logged since the last one,
    /// or `None`.
    pub fn admit(&self, cause: &str, now: Instant) -> Option<u64> {
        let mut causes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if causes.len() >= MAX_CAUSES && !causes.contains_key(cause) {
            causes.retain(|_, repeated| now.duration_since(repeated.logged_at) < INTERVAL);
        }
        let cause = if causes.len() < MAX_CAUSES || causes.contains_key(cause) { cause } else { "" };
        match causes.get_mut(cause) {
            Some(repeated) if now.duration_since(repeated.logged_at) < INTERVAL => {
                repeated.count += 1;
                None
            }
            Some(repeated) => {
                repeated.logged_at = now;
                Some(std::mem::take(&mut repeated.count))
            }
            None => {
                causes.insert(cause.to_owned(), Repeated { logged_at: now, count: 0 });
                Some(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_logged_once_a_second_with_the_number_of_its_repetitions() {
        let (log, start) = (OutageLog::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        assert_eq!(log.admit("down", at(0)), Some(0));
        assert_eq!([log.admit("down", at(1)), log.admit("down", at(999))], [None, None]);
        assert_eq!(log.admit("slow", at(999)), Some(0));
        assert_eq!(log.admit("down", at(1_000)), Some(2));
        assert_eq!(log.admit("down", at(5_000)), Some(0));
    }

    #[test]
    fn any_number_of_causes_takes_bounded_memory() {
        let (log, now) = (OutageLog::default(), Instant::now());
        let admitted = (0..1_000).filter(|number| log.admit(&number.to_string(), now).is_some()).count();
        assert_eq!(admitted, MAX_CAUSES + 1);
        assert_eq!(log.0.lock().unwrap().len(), MAX_CAUSES + 1);
        assert_eq!(log.admit("later", now + INTERVAL), Some(0));
    }
}
