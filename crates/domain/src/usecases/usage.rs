//! Last use of credentials: recorded in memory on each request, and stored periodically.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::TimeDelta;

use crate::error::Error;
use crate::model::{KeyDigest, Time};
use crate::ports::{Credential, CredentialUse, UsageRecorder};

/// Precision of the stored time of last use.
const WRITE_INTERVAL: TimeDelta = TimeDelta::minutes(1);
/// Maximum number of credentials in memory. Uses of further credentials are dropped until the next write.
const MAX_PENDING: usize = 50_000;
/// How many uses are stored per statement.
const BATCH_SIZE: usize = 100;

/// Records uses of credentials.
pub struct Usage {
    recorder: Arc<dyn UsageRecorder>,
    pending: Mutex<HashMap<Credential, CredentialUse>>,
}

impl Usage {
    /// Creates an empty record that is stored with this recorder.
    pub fn new(recorder: Arc<dyn UsageRecorder>) -> Self {
        Self { recorder, pending: Mutex::default() }
    }

    /// Records a use in memory. `stored`: the stored time of last use.
    pub(super) fn note(
        &self,
        credential: Credential,
        stored: Option<Time>,
        at: Time,
        redigested: Option<(KeyDigest, KeyDigest)>,
    ) {
        if redigested.is_none() && stored.is_some_and(|stored| at - stored < WRITE_INTERVAL) {
            return;
        }
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.len() < MAX_PENDING || pending.contains_key(&credential) {
            pending.insert(credential, CredentialUse { credential, at, redigested });
        }
    }

    /// Stores the recorded uses and returns their number. After an error, the remaining uses are kept for the next
    /// call.
    pub async fn flush(&self) -> Result<usize, Error> {
        let mut uses: Vec<CredentialUse> = self.take().into_values().collect();
        // The same order on every replica prevents deadlocks.
        uses.sort_unstable_by_key(|used| used.credential);
        let mut rest = uses.chunks(BATCH_SIZE);
        while let Some(batch) = rest.next() {
            if let Err(error) = self.recorder.record_uses(batch).await {
                let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
                for remaining in batch.iter().chain(rest.flatten()) {
                    pending.entry(remaining.credential).or_insert_with(|| remaining.clone());
                }
                return Err(error.into());
            }
        }
        Ok(uses.len())
    }

    fn take(&self) -> HashMap<Credential, CredentialUse> {
        std::mem::take(&mut self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;
    use crate::mocks::{MockUsageRecorder, a_key, id_of, instant};
    use crate::model::PresentedValue;
    use crate::ports::StoreError;

    fn key(name: &str) -> Credential {
        Credential::Key(id_of(name).into(), PresentedValue::Current)
    }

    #[tokio::test]
    async fn a_use_is_stored_once_a_minute() {
        let mut recorder = MockUsageRecorder::new();
        recorder.expect_record_uses().times(1).returning(|uses| {
            assert_eq!(uses.iter().map(|used| used.at).collect::<Vec<_>>(), [instant()]);
            Ok(())
        });
        let usage = Usage::new(Arc::new(recorder));
        usage.note(key("a"), None, instant() - TimeDelta::seconds(1), None);
        usage.note(key("a"), None, instant(), None);
        usage.note(key("b"), Some(instant() - TimeDelta::seconds(59)), instant(), None);
        assert_eq!(usage.flush().await.unwrap(), 1);
        assert_eq!(usage.flush().await.unwrap(), 0);
    }

    #[tokio::test]
    async fn uses_are_stored_in_the_order_of_their_credentials() {
        let mut recorder = MockUsageRecorder::new();
        recorder.expect_record_uses().times(1).returning(|uses| {
            assert!(uses.len() == 50 && uses.is_sorted_by_key(|used| used.credential));
            Ok(())
        });
        let usage = Usage::new(Arc::new(recorder));
        (0..50).for_each(|number| usage.note(key(&number.to_string()), None, instant(), None));
        usage.flush().await.unwrap();
    }

    #[tokio::test]
    async fn uses_that_cannot_be_stored_are_kept() {
        let mut recorder = MockUsageRecorder::new();
        let unavailable = || Err(StoreError::Unavailable(anyhow!("The store is unavailable.")));
        recorder.expect_record_uses().times(1).returning(move |_| unavailable());
        recorder.expect_record_uses().times(2).returning(|_| Ok(()));
        let usage = Usage::new(Arc::new(recorder));
        for number in 0..=BATCH_SIZE {
            usage.note(key(&number.to_string()), None, instant(), None);
        }
        assert!(usage.flush().await.is_err());
        assert_eq!(usage.flush().await.unwrap(), BATCH_SIZE + 1);
    }

    #[test]
    fn a_new_digest_is_always_recorded() {
        let usage = Usage::new(Arc::new(MockUsageRecorder::new()));
        let digests = (a_key().digest, a_key().digest);
        usage.note(key("a"), Some(instant()), instant(), Some(digests));
        assert_eq!(usage.take().len(), 1);
    }
}
