//! Leases for background jobs: a process runs a job only while it holds the job's lease.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use uuid::Uuid;

use crate::kernel::error::Error;
use crate::kernel::{Clock, Time, WorkLeases, lock};

/// Duration of a lease, and the remaining time at which it is renewed.
const LEASE_TTL: TimeDelta = TimeDelta::seconds(5);
const RENEW_BEFORE: TimeDelta = TimeDelta::milliseconds(2_500);

/// Leases of this process.
pub struct Shares {
    leases: Arc<dyn WorkLeases>,
    clock: Arc<dyn Clock>,
    holder: Uuid,
    held: Mutex<HashMap<&'static str, Time>>,
}

impl Shares {
    /// Creates it without leases. `holder` identifies this process.
    pub fn new(leases: Arc<dyn WorkLeases>, clock: Arc<dyn Clock>, holder: Uuid) -> Self {
        Self { leases, clock, holder, held: Mutex::default() }
    }

    /// Acquires or renews the lease of a job. Returns whether this process may run the job now. Call it only if there
    /// is work to do, so that idle processes do not hold leases.
    pub async fn hold(&self, share: &'static str) -> Result<bool, Error> {
        let now = self.clock.now();
        let until = lock(&self.held).get(share).copied();
        if until.is_some_and(|until| until - now > RENEW_BEFORE) {
            return Ok(true);
        }
        let until = now + LEASE_TTL;
        let acquired = self.leases.acquire_lease(share, self.holder, now, until).await?;
        let mut held = lock(&self.held);
        if acquired {
            held.insert(share, until)
        } else {
            held.remove(share)
        };
        Ok(acquired)
    }

    /// Releases all leases.
    pub async fn refund(&self) -> Result<(), Error> {
        let held = std::mem::take(&mut *lock(&self.held));
        if !held.is_empty() {
            self.leases.release_leases_of(self.holder).await?;
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
    async fn a_lease_is_renewed_after_half_its_ttl_and_not_acquired_while_another_process_holds_it() {
        let clock = Arc::new(Seconds(AtomicI64::new(0)));
        let mut leases = MockWorkLeases::new();
        // The third call finds the lease held by another process.
        let mut times = 0;
        leases.expect_acquire_lease().times(4).returning(move |_, _, _, _| {
            times += 1;
            Ok(times != 3)
        });
        leases.expect_release_leases_of().times(1).returning(|_| Ok(()));
        let shares = Shares::new(Arc::new(leases), clock.clone(), Uuid::from_u128(1));
        let mut held = Vec::new();
        for second in [0, 1, 3, 4, 6, 7] {
            clock.0.store(second, Ordering::Relaxed);
            held.push(shares.hold("x").await.unwrap());
        }
        assert_eq!(held, [true, true, true, true, false, true]);
        shares.refund().await.unwrap();
        shares.refund().await.unwrap();
    }
}
