//! How often something may be tried: the generic cell rate algorithm, over a bounded number of those who try.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::TimeDelta;
use lru::LruCache;

use crate::error::Error;
use crate::model::{Request, Time};
use crate::policy::Attempt;
use crate::work::network;

/// How many of those who try are remembered; beyond that the one who tried longest ago is forgotten.
const REMEMBERED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(99_999);

type Cells = LruCache<(Attempt, String), Time>;

/// Counts attempts. Each process counts for itself, and forgets when it ends.
pub struct Throttle {
    /// When each would be at rest again, had they stopped trying. `None`: nothing is counted.
    cells: Option<Mutex<Cells>>,
}

impl Throttle {
    /// Counts.
    pub fn on() -> Self {
        Self { cells: Some(Mutex::new(LruCache::new(REMEMBERED))) }
    }

    /// Lets everything pass.
    pub fn off() -> Self {
        Self { cells: None }
    }

    /// One more attempt by whoever the name tells, or `TooMany`.
    pub fn take(&self, attempt: Attempt, whose: &str, now: Time) -> Result<(), Error> {
        let Some(mut cells) = self.cells() else { return Ok(()) };
        let (burst, interval) = attempt.limit();
        let key = (attempt, whose.to_owned());
        let at_rest = cells.get(&key).copied().unwrap_or(now).max(now);
        let most = interval * i32::from(burst.saturating_sub(1));
        let wait = at_rest - now - most;
        if wait > TimeDelta::zero() {
            let whole = TimeDelta::seconds(wait.num_seconds().saturating_add(1));
            return Err(Error::TooMany { retry_after: whole });
        }
        cells.put(key, at_rest + interval);
        Ok(())
    }

    /// Takes an attempt back: it was no guess.
    pub fn give_back(&self, attempt: Attempt, whose: &str) {
        let Some(mut cells) = self.cells() else { return };
        if let Some(at_rest) = cells.get_mut(&(attempt, whose.to_owned())) {
            *at_rest -= attempt.limit().1;
        }
    }

    /// One more attempt from where the request comes. Commands are not counted.
    pub fn take_from(&self, attempt: Attempt, request: &Request, now: Time) -> Result<(), Error> {
        match request.address {
            Some(address) => self.take(attempt, &network(address).to_string(), now),
            None => Ok(()),
        }
    }

    /// Takes an attempt back from where the request comes.
    pub fn give_back_from(&self, attempt: Attempt, request: &Request) {
        if let Some(address) = request.address {
            self.give_back(attempt, &network(address).to_string());
        }
    }

    /// One more attempt at something that is named, from where the request comes. Commands are not counted.
    pub fn take_at(&self, attempt: Attempt, name: &str, request: &Request, now: Time) -> Result<(), Error> {
        match request.address {
            Some(address) => self.take(attempt, &format!("{name} {}", network(address)), now),
            None => Ok(()),
        }
    }

    /// Takes such an attempt back.
    pub fn give_back_at(&self, attempt: Attempt, name: &str, request: &Request) {
        if let Some(address) = request.address {
            self.give_back(attempt, &format!("{name} {}", network(address)));
        }
    }

    fn cells(&self) -> Option<MutexGuard<'_, Cells>> {
        self.cells.as_ref().map(|cells| cells.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::instant;

    #[test]
    fn a_burst_passes_then_one_in_each_interval() {
        let (throttle, attempt, now) = (Throttle::on(), Attempt::SignInTo, instant());
        let (burst, interval) = attempt.limit();
        for _ in 0..burst {
            throttle.take(attempt, "ann", now).unwrap();
        }
        let Err(Error::TooMany { retry_after }) = throttle.take(attempt, "ann", now) else { panic!("it passed") };
        assert!(retry_after >= interval && retry_after <= interval + TimeDelta::seconds(1));
        assert!(throttle.take(attempt, "bob", now).is_ok());
        assert!(throttle.take(attempt, "ann", now + interval).is_ok());
        assert!(throttle.take(attempt, "ann", now + interval).is_err());
        throttle.give_back(attempt, "ann");
        assert!(throttle.take(attempt, "ann", now + interval).is_ok());
    }

    #[test]
    fn switched_off_everything_passes() {
        let throttle = Throttle::off();
        assert!((0..1000).all(|_| throttle.take(Attempt::LetterTo, "ann", instant()).is_ok()));
    }
}
