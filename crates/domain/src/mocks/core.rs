//! What use cases share, over mocks, with which a test constructs a use case.

use std::sync::Arc;

use super::fakes::{CountingIds, FixedClock, InlineCompute, PurposeEncrypter};
use super::fixtures::valid;
use crate::administration::AdministrationCore;
use crate::data::DataCore;
use crate::identity::{CurrentKeys, IdentityCore, KnownCredentials, TokenVerifier};
use crate::kernel::{ActionLimiter, ServiceAddress};
use crate::mocks::ports::{
    MockAccessTokens, MockClientSignatures, MockKeyDigester, MockKeyGenerator, MockKeyRing, MockMessageSigner,
    MockOneTimeCodes, MockPasskeyCeremonies, MockPasswordHasher, MockSecretGenerator, MockTokenVault,
};
use crate::ports::MockStore;
use crate::{Cores, DeliveryPorts, Deployment, Ports, StorePorts, SystemPorts};

impl MockStore {
    /// Returns a store of a service without server keys.
    pub fn without_server_keys() -> Self {
        let mut store = Self::default();
        store.server_keys.expect_server_keys().returning(|| Ok(Vec::new()));
        store
    }
}

impl From<MockStore> for Ports {
    fn from(store: MockStore) -> Self {
        StorePorts::from(store).into()
    }
}

impl From<StorePorts> for Ports {
    /// Adds the ports of [`mock_system_ports`]. Nothing is delivered.
    fn from(store: StorePorts) -> Self {
        Self { store, system: mock_system_ports(), delivery: DeliveryPorts::default() }
    }
}

/// Returns what use cases share over these ports, for a service at `http://localhost:3003` without rate limits. Most
/// tests pass a [`MockStore`]. To replace other ports: `Ports { system, ..store.into() }`.
pub fn mock_cores(ports: impl Into<Ports>) -> Cores {
    let address = valid(ServiceAddress::parse("http://localhost:3003"));
    Cores::new(&ports.into(), Deployment { action_limiter: ActionLimiter::off(), ..Deployment::at(address) })
}

/// Returns the part of [`mock_cores`] for use cases of administration.
pub fn mock_administration(ports: impl Into<Ports>) -> Arc<AdministrationCore> {
    mock_cores(ports).administration
}

/// Returns the part of [`mock_cores`] for use cases of data.
pub fn mock_data(ports: impl Into<Ports>) -> Arc<DataCore> {
    mock_cores(ports).data
}

/// Returns the part of [`mock_cores`] for use cases of identity.
pub fn mock_identity(ports: impl Into<Ports>) -> Arc<IdentityCore> {
    mock_cores(ports).identity
}

/// A token verifier that uses this mock. No server keys are stored.
pub fn verifier(tokens: MockAccessTokens) -> TokenVerifier {
    let mut vault = MockTokenVault::new();
    vault.expect_sha256().returning(str::to_owned);
    let (store, system) = (StorePorts::from(MockStore::without_server_keys()), mock_system_ports());
    let keys = Arc::new(CurrentKeys::new(store.server_keys, system.ring, system.clock));
    TokenVerifier::new(Arc::new(tokens), keys, Arc::new(KnownCredentials::new(Arc::new(vault))))
}

/// Returns adapters for time, randomness and cryptography: a fixed clock, IDs that count, an encrypter that only writes
/// the purpose before the data, a key ring that accepts all keys, and mocks without expectations. Replace those that a
/// test uses: `SystemPorts { vault, ..mock_system_ports() }`.
pub fn mock_system_ports() -> SystemPorts {
    let mut ring = MockKeyRing::new();
    ring.expect_install().returning(|_| Ok(()));
    SystemPorts {
        clock: Arc::new(FixedClock::default()),
        ids: Arc::new(CountingIds::default()),
        secrets: Arc::new(MockSecretGenerator::new()),
        digester: Arc::new(MockKeyDigester::new()),
        passwords: Arc::new(MockPasswordHasher::new()),
        compute: Arc::new(InlineCompute),
        tokens: Arc::new(MockAccessTokens::new()),
        generator: Arc::new(MockKeyGenerator::new()),
        ring: Arc::new(ring),
        vault: Arc::new(MockTokenVault::new()),
        encrypter: Arc::new(PurposeEncrypter),
        signer: Arc::new(MockMessageSigner::new()),
        one_time_codes: Arc::new(MockOneTimeCodes::new()),
        passkey_ceremonies: Arc::new(MockPasskeyCeremonies::new()),
        signatures: Arc::new(MockClientSignatures::new()),
    }
}
