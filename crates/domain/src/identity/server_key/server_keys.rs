//! The server's own keys: generated if missing, and installed.

mod generations;
mod signing;

use chrono::TimeDelta;

use crate::identity::{IdentityCore, ServerKey, ServerKeyPurpose, SignedToken, SigningAlgorithms};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{
    CommitError, Request, RetryError, Revision, ServerKeyId, Time, Unique, retry_stale, to_the_second, use_cases,
};

/// How long a new signing key is published before it is used, so that clients know the key before they receive its
/// tokens.
const PUBLICATION_LEAD_TIME: TimeDelta = TimeDelta::hours(1);
/// How long a new pepper is stored before it is used, so that all servers know it: they check for new keys every
/// minute.
const KEY_CACHE_TIME: TimeDelta = TimeDelta::minutes(5);

use_cases! {
    /// Use cases of server keys.
    pub struct ServerKeys { core: IdentityCore }
}

impl ServerKeys {
    /// Generates missing keys and installs all keys. Servers that start at the same time agree on the same keys.
    pub async fn prepare(&self, request: Request, algorithms: SigningAlgorithms) -> Result<(), Error> {
        retry_stale(async || {
            let request = request.clone();
            let mut keys = self.core.ports.server_keys.server_keys().await?;
            // Decrypt first: with a wrong server secret, no key may be added that the right secret cannot decrypt.
            self.core.keys.install(&keys)?;
            let missing = missing(&keys, algorithms, self.core.now());
            if missing.is_empty() {
                return Ok(());
            }

            let now = self.core.now();
            let mut changes = Changes::by(Permit::system(Operation::ServerKeyGenerate, request)?, now);
            for (purpose, generation, use_from) in missing {
                let key = self.generate(purpose, generation, now, use_from)?;
                keys.push(key.clone());
                changes = changes.insert(key);
            }
            self.commit_keys(changes).await?;
            Ok(self.core.keys.install(&keys)?)
        })
        .await
    }

    /// Generates a new pepper. Values with older peppers stay valid; each gets a new digest when it is next used.
    /// Returns the new pepper, including its generation and when it takes effect.
    pub async fn rotate_pepper(&self, request: Request) -> Result<ServerKey, Error> {
        retry_stale(async || {
            let keys = self.core.ports.server_keys.server_keys().await?;
            // With a wrong server secret, no key may be added that the right secret cannot decrypt.
            self.core.keys.install(&keys)?;
            let peppers = keys.iter().filter(|key| key.purpose == ServerKeyPurpose::KeyPepper);
            let newest = peppers.map(|key| key.generation).max().unwrap_or_default();
            let now = self.core.now();
            let (purpose, use_from) = (ServerKeyPurpose::KeyPepper, now + KEY_CACHE_TIME);
            let key = self.generate(purpose, newest.saturating_add(1), now, use_from)?;

            let permit = Permit::system(Operation::ServerKeyGenerate, request.clone())?;
            self.commit_keys(Changes::by(permit, now).insert(key.clone())).await?;
            Ok(key)
        })
        .await
    }

    /// Stores keys. Another replica may have generated one at the same time: then it is tried again.
    async fn commit_keys(&self, changes: Changes) -> Result<(), RetryError> {
        self.core.commit(changes).await.map(drop).map_err(|error| match error {
            CommitError::Taken(Unique::ServerKeyGeneration) => RetryError::Stale(ResourceKind::ServerKey),
            error => error.into(),
        })
    }

    /// Generates a server key.
    fn generate(
        &self,
        purpose: ServerKeyPurpose,
        generation: i64,
        created_at: Time,
        use_from: Time,
    ) -> Result<ServerKey, Error> {
        let (id, encrypted) = (ServerKeyId::from(self.core.next_id()), self.core.ports.generator.generate(purpose)?);
        Ok(ServerKey { id, purpose, generation, encrypted, created_at, use_from, revision: Revision::FIRST })
    }
}

/// Returns purpose, generation and start of use of each missing key. The newest signing key for each kind of token must
/// have the configured algorithm; the first one is used immediately.
fn missing(keys: &[ServerKey], algorithms: SigningAlgorithms, now: Time) -> Vec<(ServerKeyPurpose, i64, Time)> {
    let mut missing = Vec::new();
    for token in SignedToken::ALL {
        let generation = generations::next_generation(keys, token);
        let purpose = ServerKeyPurpose::TokenSigning(token, algorithms.of(token));
        match generations::newest(keys, token) {
            // Token timestamps have whole seconds, and a token may be issued within the current second.
            None => missing.push((purpose, generation, to_the_second(now))),
            Some(key) if key.purpose != purpose => {
                let is_usable = keys.iter().any(|key| key.signs(token) && key.use_from <= now);
                let use_from = if is_usable { now + PUBLICATION_LEAD_TIME } else { to_the_second(now) };
                missing.push((purpose, generation, use_from));
            }
            Some(_) => {}
        }
    }
    if !keys.iter().any(|key| key.purpose == ServerKeyPurpose::KeyPepper) {
        missing.push((ServerKeyPurpose::KeyPepper, 1, now));
    }
    missing
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::identity::SigningAlgorithm;
    use crate::mocks::{
        MockKeyGenerator, MockStore, RecordingUnitOfWork, a_request, id_of, instant, mock_identity, mock_system_ports,
    };
    use crate::{Ports, StorePorts, SystemPorts};

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
    async fn a_new_pepper_follows_the_newest_and_is_published_before_it_is_used() {
        let mut store = MockStore::default();
        let pepper = |generation| key(ServerKeyPurpose::KeyPepper, generation);
        store.server_keys.expect_server_keys().returning(move || Ok(vec![pepper(1), pepper(3), pepper(2)]));
        let mut generator = MockKeyGenerator::new();
        generator.expect_generate().returning(|_| Ok(vec![7]));
        let committed = Arc::new(RecordingUnitOfWork::default());
        let system = SystemPorts { generator: Arc::new(generator), ..mock_system_ports() };
        let store = StorePorts { unit_of_work: committed.clone(), ..store.into() };
        let server_keys = ServerKeys::new(&mock_identity(Ports { system, ..store.into() }));
        let pepper_key = server_keys.rotate_pepper(a_request()).await.unwrap();
        assert_eq!((pepper_key.generation, pepper_key.use_from), (4, instant() + KEY_CACHE_TIME));
        assert_eq!(committed.changes().len(), 1);
    }

    fn algorithms(access_tokens: SigningAlgorithm, id_tokens: SigningAlgorithm) -> SigningAlgorithms {
        SigningAlgorithms { access_tokens, id_tokens }
    }

    #[test]
    fn each_kind_of_token_has_its_own_key_and_a_changed_algorithm_is_published_an_hour_before_it_is_used() {
        let signing = |token, algorithm| ServerKeyPurpose::TokenSigning(token, algorithm);
        let (access, id) = (SignedToken::Access, SignedToken::Id);
        let (old, new) = (SigningAlgorithm::Es256, SigningAlgorithm::EdDsa);
        let first = missing(&[], algorithms(old, new), instant());
        let pepper = (ServerKeyPurpose::KeyPepper, 1, instant());
        assert_eq!(first, [(signing(access, old), 1, instant()), (signing(id, new), 1, instant()), pepper]);
        let mut keys = vec![key(signing(access, old), 1), key(ServerKeyPurpose::KeyPepper, 1)];
        assert_eq!(missing(&keys, algorithms(old, old), instant()), [(signing(id, old), 1, instant())]);
        keys.push(key(signing(id, old), 1));
        assert_eq!(missing(&keys, algorithms(old, old), instant()), []);
        let later = instant() + PUBLICATION_LEAD_TIME;
        assert_eq!(missing(&keys, algorithms(new, old), instant()), [(signing(access, new), 2, later)]);
        assert_eq!(missing(&keys, algorithms(old, new), instant()), [(signing(id, new), 2, later)]);
        keys.push(key(signing(access, new), 2));
        assert_eq!(missing(&keys, algorithms(new, old), instant()), []);
        assert_eq!(missing(&keys, algorithms(old, old), instant())[0].1, 3);
    }

    #[test]
    fn a_new_key_is_used_immediately_if_all_others_have_unknown_algorithms() {
        let algorithm = SigningAlgorithm::Es256;
        let of_id_tokens = ServerKeyPurpose::TokenSigning(SignedToken::Id, algorithm);
        let unknown = ServerKeyPurpose::UnknownTokenSigning(SignedToken::Access);
        let keys = [key(unknown, 4), key(of_id_tokens, 1), key(ServerKeyPurpose::KeyPepper, 1)];
        let expected = (ServerKeyPurpose::TokenSigning(SignedToken::Access, algorithm), 5, instant());
        assert_eq!(missing(&keys, algorithms(algorithm, algorithm), instant()), [expected]);
    }
}
