//! The server's own keys: made when they are missing, put to use when they are there.

mod signing;

use std::sync::Arc;

use chrono::TimeDelta;

use crate::changes::Changes;
use crate::error::{Error, ResourceKind};
use crate::model::{Request, Revision, ServerKey, ServerKeyId, ServerKeyPurpose, SigningAlgorithm, Time};
use crate::policy::{Operation, Permit};
use crate::ports::{Clock, CommitError, IdGenerator, KeyGenerator, ServerKeyReader, Unique, UnitOfWork};

use super::accounts::to_the_second;
use super::{CurrentKeys, RetryError, retry_stale};

/// How long a new signing key is published before it is used, so that nobody meets a token they cannot check.
const PUBLICATION_LEAD_TIME: TimeDelta = TimeDelta::hours(1);
/// How long a new pepper is known to all servers before values are kept under it: they look for new keys every minute.
const KEY_CACHE_TIME: TimeDelta = TimeDelta::minutes(5);

/// The use cases of the server's keys.
pub struct ServerKeys {
    keys: Arc<dyn ServerKeyReader>,
    store: Arc<dyn UnitOfWork>,
    generator: Arc<dyn KeyGenerator>,
    current: Arc<CurrentKeys>,
    /// After how long a signing key is replaced. `None`: never.
    signing_key_age: Option<TimeDelta>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
}

impl ServerKeys {
    /// Over these ports.
    pub fn new(
        keys: Arc<dyn ServerKeyReader>,
        store: Arc<dyn UnitOfWork>,
        generator: Arc<dyn KeyGenerator>,
        current: Arc<CurrentKeys>,
        signing_key_age: Option<TimeDelta>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
    ) -> Self {
        Self { keys, store, generator, current, signing_key_age, clock, ids }
    }

    /// Makes the keys that are missing and puts all to use. Servers that start at once agree on the same keys.
    pub async fn prepare(&self, request: Request, algorithm: SigningAlgorithm) -> Result<(), Error> {
        retry_stale(async || {
            let request = request.clone();
            let mut keys = self.keys.server_keys().await?;
            // Unsealing comes first: with the wrong server secret nothing must be added that the right one cannot read.
            self.current.install(&keys)?;
            let missing = missing(&keys, algorithm, self.clock.now());
            if missing.is_empty() {
                return Ok(());
            }

            let now = self.clock.now();
            let mut changes = Changes::by(Permit::for_system(Operation::ServerKeyForge, request), now);
            for (purpose, generation, use_from) in missing {
                let key = self.generate(purpose, generation, now, use_from)?;
                keys.push(key.clone());
                changes = changes.insert(key);
            }
            match self.store.commit(changes).await {
                Ok(_) => Ok(self.current.install(&keys)?),
                Err(CommitError::Taken(Unique::ServerKeyGeneration)) => Err(RetryError::Stale(ResourceKind::ServerKey)),
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    /// Makes another pepper. Values that are digested under older ones go on working, and each is digested anew when it is
    /// used. Tells the new pepper's generation and from when it is used.
    pub async fn rotate_pepper(&self, request: Request) -> Result<ServerKey, Error> {
        retry_stale(async || {
            let keys = self.keys.server_keys().await?;
            // With the wrong server secret nothing must be added that the right one cannot read.
            self.current.install(&keys)?;
            let peppers = keys.iter().filter(|key| key.purpose == ServerKeyPurpose::KeyPepper);
            let newest = peppers.map(|key| key.generation).max().unwrap_or_default();
            let now = self.clock.now();
            let (purpose, use_from) = (ServerKeyPurpose::KeyPepper, now + KEY_CACHE_TIME);
            let key = self.generate(purpose, newest.saturating_add(1), now, use_from)?;

            let permit = Permit::for_system(Operation::ServerKeyForge, request.clone());
            match self.store.commit(Changes::by(permit, now).insert(key.clone())).await {
                Ok(_) => Ok(key),
                Err(CommitError::Taken(Unique::ServerKeyGeneration)) => Err(RetryError::Stale(ResourceKind::ServerKey)),
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    /// A new key.
    fn generate(
        &self,
        purpose: ServerKeyPurpose,
        generation: i64,
        created_at: Time,
        use_from: Time,
    ) -> Result<ServerKey, Error> {
        let (id, encrypted) = (ServerKeyId::from(self.ids.next()), self.generator.generate(purpose)?);
        Ok(ServerKey { id, purpose, generation, encrypted, created_at, use_from, revision: Revision::FIRST })
    }
}

/// Purpose, generation and first use of each key that is not there yet. The newest signing key must be of the wanted
/// algorithm; the very first is used at once.
fn missing(keys: &[ServerKey], wanted: SigningAlgorithm, now: Time) -> Vec<(ServerKeyPurpose, i64, Time)> {
    let newest = keys.iter().filter(|key| key.is_signing()).max_by_key(|key| key.generation);
    let generation = signing::next_generation(keys);
    let mut missing = Vec::new();
    let purpose = ServerKeyPurpose::TokenSigning(wanted);
    match newest {
        // Tokens are dated to the second, and one may be wanted within this very one.
        None => missing.push((purpose, generation, to_the_second(now))),
        Some(key) if key.purpose != purpose => {
            let is_usable = keys.iter().any(|key| key.is_signing() && key.use_from <= now);
            let use_from = if is_usable { now + PUBLICATION_LEAD_TIME } else { to_the_second(now) };
            missing.push((purpose, generation, use_from));
        }
        Some(_) => {}
    }
    if !keys.iter().any(|key| key.purpose == ServerKeyPurpose::KeyPepper) {
        missing.push((ServerKeyPurpose::KeyPepper, 1, now));
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{
        CountingIds, FixedClock, MockKeyGenerator, MockKeyRing, MockServerKeyReader, RecordingUnitOfWork, a_request,
        id_of, instant,
    };

    fn key(purpose: ServerKeyPurpose, generation: i64) -> ServerKey {
        ServerKey {
            id: id_of("key").into(),
            purpose,
            generation,
            encrypted: Vec::new(),
            created_at: instant(),
            use_from: instant(),
            revision: Revision::FIRST,
        }
    }

    #[tokio::test]
    async fn another_pepper_comes_after_the_newest_and_is_known_before_it_is_used() {
        let mut readers = MockServerKeyReader::new();
        let pepper = |generation| key(ServerKeyPurpose::KeyPepper, generation);
        readers.expect_server_keys().returning(move || Ok(vec![pepper(1), pepper(3), pepper(2)]));
        let (mut generator, mut ring) = (MockKeyGenerator::new(), MockKeyRing::new());
        generator.expect_generate().returning(|_| Ok(vec![7]));
        ring.expect_install().returning(|_| Ok(()));
        let store = Arc::new(RecordingUnitOfWork::default());
        let (clock, ids) = (Arc::new(FixedClock::default()), Arc::new(CountingIds::default()));
        let readers: Arc<dyn ServerKeyReader> = Arc::new(readers);
        let current = Arc::new(CurrentKeys::new(readers.clone(), Arc::new(ring), clock.clone()));
        let server_keys = ServerKeys::new(readers, store.clone(), Arc::new(generator), current, None, clock, ids);
        let made = server_keys.rotate_pepper(a_request()).await.unwrap();
        assert_eq!((made.generation, made.use_from), (4, instant() + KEY_CACHE_TIME));
        assert_eq!(store.changes().len(), 1);
    }

    #[test]
    fn a_changed_algorithm_is_published_an_hour_before_it_is_used() {
        let signing = ServerKeyPurpose::TokenSigning;
        let (old, new) = (SigningAlgorithm::Es256, SigningAlgorithm::EdDsa);
        let first = missing(&[], old, instant());
        assert_eq!(first, [(signing(old), 1, instant()), (ServerKeyPurpose::KeyPepper, 1, instant())]);
        let mut keys = vec![key(signing(old), 1), key(ServerKeyPurpose::KeyPepper, 1)];
        assert_eq!(missing(&keys, old, instant()), []);
        assert_eq!(missing(&keys, new, instant()), [(signing(new), 2, instant() + PUBLICATION_LEAD_TIME)]);
        keys.push(key(signing(new), 2));
        assert_eq!(missing(&keys, new, instant()), []);
        assert_eq!(missing(&keys, old, instant())[0].1, 3);
    }

    #[test]
    fn where_only_another_versions_algorithm_is_there_a_key_of_ours_is_used_at_once() {
        let pepper = key(ServerKeyPurpose::KeyPepper, 1);
        let keys = [key(ServerKeyPurpose::UnknownTokenSigning, 4), pepper];
        let wanted = SigningAlgorithm::Es256;
        let expected = (ServerKeyPurpose::TokenSigning(wanted), 5, instant());
        assert_eq!(missing(&keys, wanted, instant()), [expected]);
    }
}
