//! Deletion of expired data. Kinds take turns, so that a large backlog of one kind does not delay others.

use std::sync::{Arc, Mutex};

use crate::identity::{Expiring, ExpirySweeper};
use crate::kernel::error::Error;
use crate::kernel::jobs::Step;
use crate::kernel::{Kernel, lock};

/// How many rows of a kind are deleted in one step.
const BATCH_SIZE: u16 = 250;
/// Name of the lease for this background job.
const SHARE: &str = "expiry";

/// State of a round through all kinds.
#[derive(Debug, Default)]
struct Round {
    /// Index of the next kind.
    next: usize,
    /// Whether some kind has more rows than one step deletes.
    has_more: bool,
    /// The last error in this round.
    failure: Option<Error>,
}

/// Deletes expired data.
pub struct Expiry {
    core: Arc<Kernel>,
    store: Arc<dyn ExpirySweeper>,
    round: Mutex<Round>,
}

impl Expiry {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<Kernel>, store: Arc<dyn ExpirySweeper>) -> Self {
        Self { core: core.clone(), store, round: Mutex::default() }
    }

    /// Deletes a batch of the next kind. An error does not delay other kinds: it is returned at the end of the round.
    pub async fn step(&self) -> Result<Step, Error> {
        if !self.core.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        let next = lock(&self.round).next;
        let kind = Expiring::ALL.get(next).copied().unwrap_or(Expiring::AuthorizationRequests);
        let swept = self.store.sweep(kind, self.core.now() - kind.retention(), BATCH_SIZE).await;

        let mut round = lock(&self.round);
        round.next += 1;
        let done = swept.unwrap_or_else(|error| {
            round.failure = Some(error.into());
            0
        });
        round.has_more |= done >= usize::from(BATCH_SIZE);
        if round.next < Expiring::ALL.len() {
            return Ok(Step { done, more: true });
        }
        let ended = std::mem::take(&mut *round);
        ended.failure.map_or(Ok(Step { done, more: ended.has_more }), Err)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;
    use crate::StorePorts;
    use crate::kernel::StoreError;
    use crate::mocks::{MockStore, mock_cores};

    #[tokio::test]
    async fn each_kind_has_its_turn_despite_a_backlog_and_a_failure() {
        let swept = Arc::new(Mutex::new(Vec::new()));
        let (mut store, recorded) = (MockStore::default(), swept.clone());
        store.expiry.expect_sweep().returning(move |kind, _, limit| {
            recorded.lock().unwrap().push(kind);
            match kind {
                Expiring::Sessions => Ok(usize::from(limit)),
                Expiring::EmailLinks => Err(StoreError::Unavailable(anyhow!("The store is unavailable."))),
                _ => Ok(1),
            }
        });
        store.leases.expect_acquire_lease().returning(|_, _, _, _| Ok(true));
        let store = StorePorts::from(store);
        let expiry = Expiry::new(&mock_cores(store.clone()).kernel, store.expiry);
        for _ in 1..Expiring::ALL.len() {
            assert!(expiry.step().await.unwrap().more);
        }
        assert!(expiry.step().await.is_err(), "The failure must be reported.");
        assert_eq!(*swept.lock().unwrap(), Expiring::ALL);
        assert!(expiry.step().await.unwrap().more, "A new round must begin.");
    }
}
