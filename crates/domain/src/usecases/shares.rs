//! Shares of the background work: this process does one only while it holds its lease.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::TimeDelta;
use uuid::Uuid;

use crate::error::Error;
use crate::model::Time;
use crate::ports::{Clock, WorkLeases};

/// How long a share stays with a process that does not prolong its lease, and how much of that may be left when it does.
const LEASE_TTL: TimeDelta = TimeDelta::seconds(5);
const RENEW_BEFORE: TimeDelta = TimeDelta::milliseconds(2_500);

/// The shares of this process.
pub struct Shares {
    leases: Arc<dyn WorkLeases>,
    clock: Arc<dyn Clock>,
    holder: Uuid,
    held: Mutex<HashMap<&'static str, Time>>,
}

impl Shares {
    /// Under this name for the process.
    pub fn new(leases: Arc<dyn WorkLeases>, clock: Arc<dyn Clock>, holder: Uuid) -> Self {
        Self { leases, clock, holder, held: Mutex::default() }
    }

    /// Whether this process may do the share now. To be asked only when there is something to do: who has nothing to do
    /// should hold nothing.
    pub async fn hold(&self, share: &'static str) -> Result<bool, Error> {
        let now = self.clock.now();
        let until = self.held.lock().unwrap_or_else(PoisonError::into_inner).get(share).copied();
        if until.is_some_and(|until| until - now > RENEW_BEFORE) {
            return Ok(true);
        }
        let until = now + LEASE_TTL;
        let taken = self.leases.take_share(share, self.holder, now, until).await?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if taken {
            held.insert(share, until)
        } else {
            held.remove(share)
        };
        Ok(taken)
    }

    /// Leaves every share to others.
    pub async fn give_back(&self) -> Result<(), Error> {
        let held = std::mem::take(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner));
        if !held.is_empty() {
            self.leases.give_back_shares(self.holder).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;
    use crate::mocks::{MockWorkLeases, instant};

    struct Seconds(AtomicI64);

    impl Clock for Seconds {
        fn now(&self) -> Time {
            instant() + TimeDelta::seconds(self.0.load(Ordering::Relaxed))
        }
    }

    #[tokio::test]
    async fn a_share_is_asked_for_once_in_half_a_lease_and_not_held_when_somebody_else_has_it() {
        let clock = Arc::new(Seconds(AtomicI64::new(0)));
        let mut leases = MockWorkLeases::new();
        // The third time somebody else has it.
        let mut times = 0;
        leases.expect_take_share().times(4).returning(move |_, _, _, _| {
            times += 1;
            Ok(times != 3)
        });
        leases.expect_give_back_shares().times(1).returning(|_| Ok(()));
        let shares = Shares::new(Arc::new(leases), clock.clone(), Uuid::from_u128(1));
        let mut held = Vec::new();
        for second in [0, 1, 3, 4, 6, 7] {
            clock.0.store(second, Ordering::Relaxed);
            held.push(shares.hold("x").await.unwrap());
        }
        assert_eq!(held, [true, true, true, true, false, true]);
        shares.give_back().await.unwrap();
        shares.give_back().await.unwrap();
    }
}
