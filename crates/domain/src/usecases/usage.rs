//! When credentials were last used: noted in memory with each request, written down now and then.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::TimeDelta;

use crate::error::Error;
use crate::model::{KeyDigest, Time};
use crate::ports::{Credential, CredentialUse, UsageRecorder};

/// A use is told exact to this.
const WRITE_INTERVAL: TimeDelta = TimeDelta::minutes(1);
/// How many credentials are noted between two times of writing down. More than that are not told of.
const MAX_PENDING: usize = 50_000;
/// How many are written down at once.
const BATCH_SIZE: usize = 100;

/// Notes uses of credentials.
pub struct Usage {
    recorder: Arc<dyn UsageRecorder>,
    noted: Mutex<HashMap<Credential, CredentialUse>>,
}

impl Usage {
    /// Writes down with this recorder.
    pub fn new(recorder: Arc<dyn UsageRecorder>) -> Self {
        Self { recorder, noted: Mutex::default() }
    }

    /// Notes a use. `known`: the last one that is written down.
    pub(super) fn note(
        &self,
        credential: Credential,
        known: Option<Time>,
        at: Time,
        redigested: Option<(KeyDigest, KeyDigest)>,
    ) {
        if redigested.is_none() && known.is_some_and(|known| at - known < WRITE_INTERVAL) {
            return;
        }
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < MAX_PENDING || noted.contains_key(&credential) {
            noted.insert(credential, CredentialUse { credential, at, redigested });
        }
    }

    /// Writes down what was noted; tells how much. What cannot be written now is kept for the next time.
    pub async fn write_down(&self) -> Result<usize, Error> {
        let mut uses: Vec<CredentialUse> = self.take().into_values().collect();
        // In one order on every replica, so that none waits for another that waits for it.
        uses.sort_unstable_by_key(|used| used.credential);
        let mut rest = uses.chunks(BATCH_SIZE);
        while let Some(some) = rest.next() {
            if let Err(error) = self.recorder.record_uses(some).await {
                let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
                for unwritten in some.iter().chain(rest.flatten()) {
                    noted.entry(unwritten.credential).or_insert_with(|| unwritten.clone());
                }
                return Err(error.into());
            }
        }
        Ok(uses.len())
    }

    fn take(&self) -> HashMap<Credential, CredentialUse> {
        std::mem::take(&mut self.noted.lock().unwrap_or_else(PoisonError::into_inner))
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
    async fn a_use_is_written_down_once_a_minute() {
        let mut recorder = MockUsageRecorder::new();
        recorder.expect_record_uses().times(1).returning(|uses| {
            assert_eq!(uses.iter().map(|used| used.at).collect::<Vec<_>>(), [instant()]);
            Ok(())
        });
        let usage = Usage::new(Arc::new(recorder));
        usage.note(key("a"), None, instant() - TimeDelta::seconds(1), None);
        usage.note(key("a"), None, instant(), None);
        usage.note(key("b"), Some(instant() - TimeDelta::seconds(59)), instant(), None);
        assert_eq!(usage.write_down().await.unwrap(), 1);
        assert_eq!(usage.write_down().await.unwrap(), 0);
    }

    #[tokio::test]
    async fn uses_are_written_down_in_the_order_of_their_credentials() {
        let mut recorder = MockUsageRecorder::new();
        recorder.expect_record_uses().times(1).returning(|uses| {
            assert!(uses.len() == 50 && uses.is_sorted_by_key(|used| used.credential));
            Ok(())
        });
        let usage = Usage::new(Arc::new(recorder));
        (0..50).for_each(|number| usage.note(key(&number.to_string()), None, instant(), None));
        usage.write_down().await.unwrap();
    }

    #[tokio::test]
    async fn what_cannot_be_written_down_waits() {
        let mut recorder = MockUsageRecorder::new();
        let gone = || Err(StoreError::Unavailable(anyhow!("gone")));
        recorder.expect_record_uses().times(1).returning(move |_| gone());
        recorder.expect_record_uses().times(2).returning(|_| Ok(()));
        let usage = Usage::new(Arc::new(recorder));
        for number in 0..=BATCH_SIZE {
            usage.note(key(&number.to_string()), None, instant(), None);
        }
        assert!(usage.write_down().await.is_err());
        assert_eq!(usage.write_down().await.unwrap(), BATCH_SIZE + 1);
    }

    #[test]
    fn a_digest_under_an_old_pepper_is_always_noted() {
        let usage = Usage::new(Arc::new(MockUsageRecorder::new()));
        let digests = (a_key().digest, a_key().digest);
        usage.note(key("a"), Some(instant()), instant(), Some(digests));
        assert_eq!(usage.take().len(), 1);
    }
}
