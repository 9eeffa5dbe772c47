//! Last use of credentials, and numbers of requests: recorded in memory on each request, and stored periodically.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use lru::LruCache;

use crate::administration::{Day, RequestCount};
use crate::kernel::error::Error;
use crate::kernel::{
    AccountId, Credential, CredentialUse, KeyDigest, Locale, ProjectId, RefreshTokenId, Time, UsageRecorder, lock,
};

/// Precision of the stored time of last use.
const WRITE_INTERVAL: TimeDelta = TimeDelta::minutes(1);
/// Maximum number of credentials in memory. Uses of further credentials are dropped until the next write.
const MAX_PENDING: usize = 50_000;
/// Maximum number of pairs of tokens that are known to be recorded. The use of a pair that was forgotten is written
/// again, which changes nothing.
const MAX_PAIRS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(49_999);
/// Maximum number of projects and days in memory. Requests to further projects are not counted until the next write.
const MAX_PROJECTS: usize = 50_000;
/// How many uses, or numbers of requests, are stored per transaction.
const BATCH_SIZE: usize = 100;

/// Records uses of credentials, and counts requests.
pub struct Usage {
    recorder: Arc<dyn UsageRecorder>,
    pending: Mutex<HashMap<Credential, CredentialUse>>,
    /// The pairs of tokens whose use this process recorded, so that a further request of a pair costs only a look-up.
    pairs: Mutex<LruCache<RefreshTokenId, ()>>,
    requests: Mutex<HashMap<(ProjectId, Day), u64>>,
}

impl Usage {
    /// Creates an empty record that is stored with this recorder.
    pub fn new(recorder: Arc<dyn UsageRecorder>) -> Self {
        let pairs = Mutex::new(LruCache::new(MAX_PAIRS));
        Self { recorder, pending: Mutex::default(), pairs, requests: Mutex::default() }
    }

    /// Records a use in memory. `stored`: the stored time of last use.
    pub(crate) fn note(
        &self,
        credential: Credential,
        stored: Option<Time>,
        at: Time,
        redigested: Option<(KeyDigest, KeyDigest)>,
    ) {
        if redigested.is_none() && stored.is_some_and(|stored| at - stored < WRITE_INTERVAL) {
            return;
        }
        self.add(CredentialUse { credential, at, redigested });
    }

    /// Records in memory that a token of a pair was used, once for each pair.
    pub(crate) fn note_pair(&self, pair: RefreshTokenId, at: Time) {
        let mut pairs = lock(&self.pairs);
        let used = CredentialUse { credential: Credential::Pair(pair), at, redigested: None };
        if pairs.get(&pair).is_none() && self.add(used) {
            pairs.put(pair, ());
        }
    }

    /// Returns whether this process recorded the use of a pair recently, stored or not.
    pub(crate) fn has_noted(&self, pair: RefreshTokenId) -> bool {
        lock(&self.pairs).contains(&pair)
    }

    /// Adds a use to those that are to be stored. Returns whether there was room.
    fn add(&self, used: CredentialUse) -> bool {
        let mut pending = lock(&self.pending);
        let has_room = pending.len() < MAX_PENDING || pending.contains_key(&used.credential);
        if has_room {
            pending.insert(used.credential, used);
        }
        has_room
    }

    /// Stores the language of an account that has none. Nothing depends on it if this fails.
    pub(crate) async fn record_language(&self, account: AccountId, language: Locale) {
        drop(self.recorder.record_language(account, language).await);
    }

    /// Counts a request to a project in memory.
    pub fn count_request(&self, project: ProjectId, at: Time) {
        self.add_requests(project, at.date_naive(), 1);
    }

    fn add_requests(&self, project: ProjectId, day: Day, requests: u64) {
        let mut pending = lock(&self.requests);
        if let Some(count) = pending.get_mut(&(project, day)) {
            *count = count.saturating_add(requests);
        } else if pending.len() < MAX_PROJECTS {
            pending.insert((project, day), requests);
        }
    }

    /// Stores the recorded uses and numbers of requests, and returns how many there were. After an error, the remaining
    /// ones are kept for the next call.
    pub async fn flush(&self) -> Result<usize, Error> {
        let (uses, counts) = (self.flush_uses().await?, self.flush_requests().await?);
        Ok(uses.saturating_add(counts))
    }

    async fn flush_uses(&self) -> Result<usize, Error> {
        let taken = std::mem::take(&mut *lock(&self.pending));
        let mut uses: Vec<CredentialUse> = taken.into_values().collect();
        // The same order on every replica prevents deadlocks.
        uses.sort_unstable_by_key(|used| used.credential);
        let mut rest = uses.chunks(BATCH_SIZE);
        while let Some(batch) = rest.next() {
            if let Err(error) = self.recorder.record_uses(batch).await {
                let mut pending = lock(&self.pending);
                for remaining in batch.iter().chain(rest.flatten()) {
                    pending.entry(remaining.credential).or_insert_with(|| remaining.clone());
                }
                return Err(error.into());
            }
        }
        Ok(uses.len())
    }

    async fn flush_requests(&self) -> Result<usize, Error> {
        let taken = std::mem::take(&mut *lock(&self.requests));
        let counted = |((project_id, day), requests)| RequestCount { project_id, day, requests };
        let mut counts: Vec<RequestCount> = taken.into_iter().map(counted).collect();
        // The same order on every replica prevents deadlocks.
        counts.sort_unstable_by_key(|count| (count.project_id, count.day));
        let mut rest = counts.chunks(BATCH_SIZE);
        while let Some(batch) = rest.next() {
            if let Err(error) = self.recorder.add_requests(batch).await {
                for remaining in batch.iter().chain(rest.flatten()) {
                    self.add_requests(remaining.project_id, remaining.day, remaining.requests);
                }
                return Err(error.into());
            }
        }
        Ok(counts.len())
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;
    use crate::kernel::{PresentedValue, StoreError};
    use crate::mocks::{MockUsageRecorder, a_key, id_of, instant};

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
    async fn the_use_of_a_pair_is_stored_once() {
        let mut recorder = MockUsageRecorder::new();
        recorder.expect_record_uses().times(1).returning(|uses| {
            assert_eq!(uses.iter().map(|used| used.at).collect::<Vec<_>>(), [instant()]);
            Ok(())
        });
        let usage = Usage::new(Arc::new(recorder));
        let (pair, other) = (id_of("pair").into(), id_of("other").into());
        usage.note_pair(pair, instant());
        assert!(usage.has_noted(pair) && !usage.has_noted(other));
        usage.note_pair(pair, instant() + TimeDelta::seconds(1));
        assert_eq!(usage.flush().await.unwrap(), 1);
        usage.note_pair(pair, instant() + TimeDelta::hours(1));
        assert!(usage.flush().await.unwrap() == 0 && usage.has_noted(pair));
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

    #[tokio::test]
    async fn requests_are_counted_per_project_and_day_and_kept_until_they_are_stored() {
        let (stored, mut recorder) = (Arc::new(Mutex::new(Vec::new())), MockUsageRecorder::new());
        let unavailable = || Err(StoreError::Unavailable(anyhow!("The store is unavailable.")));
        recorder.expect_add_requests().times(1).returning(move |_| unavailable());
        let recorded = stored.clone();
        recorder.expect_add_requests().times(1).returning(move |counts| {
            recorded.lock().unwrap().extend(counts.iter().map(|count| (count.day, count.requests)));
            Ok(())
        });
        let usage = Usage::new(Arc::new(recorder));
        let (project, next) = (id_of("project").into(), instant() + TimeDelta::days(1));
        usage.count_request(project, instant());
        usage.count_request(project, instant());
        assert!(usage.flush().await.is_err());
        usage.count_request(project, instant());
        usage.count_request(project, next);
        assert_eq!(usage.flush().await.unwrap(), 2);
        assert_eq!(usage.flush().await.unwrap(), 0);
        assert_eq!(*stored.lock().unwrap(), [(instant().date_naive(), 3), (next.date_naive(), 1)]);
    }

    #[test]
    fn a_new_digest_is_always_recorded() {
        let usage = Usage::new(Arc::new(MockUsageRecorder::new()));
        let digests = (a_key().digest, a_key().digest);
        usage.note(key("a"), Some(instant()), instant(), Some(digests));
        assert_eq!(usage.pending.lock().unwrap().len(), 1);
    }
}
