//! What has expired goes: some of each kind in turn, so that much of one kind delays no other.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Error;
use crate::jobs::Step;
use crate::ports::{Clock, Expiring, ExpirySweeper};

use super::Shares;

/// How many things of a kind go in one step.
const BATCH_SIZE: u16 = 250;
/// The name of this share of the work.
const SHARE: &str = "expiry";

/// A round through all kinds.
#[derive(Debug, Default)]
struct Round {
    /// The place of the kind whose turn is next.
    next: usize,
    /// Whether there was more of some kind than goes in one step.
    left: bool,
    /// Why some kind could not be removed.
    failure: Option<Error>,
}

/// Removes what has expired.
pub struct Expiry {
    sweeper: Arc<dyn ExpirySweeper>,
    shares: Arc<Shares>,
    clock: Arc<dyn Clock>,
    round: Mutex<Round>,
}

impl Expiry {
    /// Over these ports.
    pub fn new(sweeper: Arc<dyn ExpirySweeper>, shares: Arc<Shares>, clock: Arc<dyn Clock>) -> Self {
        Self { sweeper, shares, clock, round: Mutex::default() }
    }

    /// Removes some of the kind whose turn it is. A kind that fails keeps no other waiting: its failure is reported at the
    /// end of the round.
    pub async fn step(&self) -> Result<Step, Error> {
        if !self.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        let next = self.round.lock().unwrap_or_else(PoisonError::into_inner).next;
        let kind = Expiring::ALL.get(next).copied().unwrap_or(Expiring::AuthorizationRequests);
        let swept = self.sweeper.sweep(kind, self.clock.now() - kind.kept_for(), BATCH_SIZE).await;

        let mut round = self.round.lock().unwrap_or_else(PoisonError::into_inner);
        round.next = round.next.saturating_add(1);
        let done = swept.unwrap_or_else(|error| {
            round.failure = Some(error.into());
            0
        });
        round.left |= done >= usize::from(BATCH_SIZE);
        if round.next < Expiring::ALL.len() {
            return Ok(Step { done, more: true });
        }
        let ended = std::mem::take(&mut *round);
        ended.failure.map_or(Ok(Step { done, more: ended.left }), Err)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;
    use uuid::Uuid;

    use super::*;
    use crate::mocks::{FixedClock, MockExpirySweeper, MockWorkLeases};
    use crate::ports::StoreError;

    #[tokio::test]
    async fn each_kind_has_its_turn_although_one_has_much_and_another_fails() {
        let swept = Arc::new(Mutex::new(Vec::new()));
        let (mut sweeper, seen) = (MockExpirySweeper::new(), swept.clone());
        sweeper.expect_sweep().returning(move |kind, _, most| {
            seen.lock().unwrap().push(kind);
            match kind {
                Expiring::Sessions => Ok(usize::from(most)),
                Expiring::EmailLinks => Err(StoreError::Unavailable(anyhow!("gone"))),
                _ => Ok(1),
            }
        });
        let mut leases = MockWorkLeases::new();
        leases.expect_take_share().returning(|_, _, _, _| Ok(true));
        let clock = Arc::new(FixedClock::default());
        let shares = Arc::new(Shares::new(Arc::new(leases), clock.clone(), Uuid::nil()));
        let expiry = Expiry::new(Arc::new(sweeper), shares, clock);
        for _ in 1..Expiring::ALL.len() {
            assert!(expiry.step().await.unwrap().more);
        }
        assert!(expiry.step().await.is_err(), "the failure is reported");
        assert_eq!(*swept.lock().unwrap(), Expiring::ALL);
        assert!(expiry.step().await.unwrap().more, "a new round begins");
    }
}
