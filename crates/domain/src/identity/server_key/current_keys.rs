//! The server keys in use. Keeps this process in sync with keys that other processes rotate and revoke.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;

use crate::identity::{
    AccessTokens, CredentialDigest, KeyRing, KnownCredential, KnownCredentials, ServerKey, ServerKeyReader, TokenError,
    VerifiedToken, check_lifetime,
};
use crate::kernel::error::{AuthenticationError, Error};
use crate::kernel::{Clock, Time, lock};

/// Limit of key reads per time window that are triggered by tokens with unknown keys or by readers of the key set. A
/// token may be signed with a key that is milliseconds old, but tokens with made-up keys must not cause many queries.
const MAX_READS: u32 = 10;
const READ_WINDOW: TimeDelta = TimeDelta::seconds(1);

/// Loads the stored server keys and installs them in the key ring.
pub struct CurrentKeys {
    keys: Arc<dyn ServerKeyReader>,
    ring: Arc<dyn KeyRing>,
    clock: Arc<dyn Clock>,
    installed: Mutex<Option<Vec<ServerKey>>>,
    /// How many times different keys were installed.
    version: AtomicU64,
    /// Start of the current window, and the number of reads in it.
    reads: Mutex<Option<(Time, u32)>>,
}

impl CurrentKeys {
    /// Creates it without installed keys.
    pub fn new(keys: Arc<dyn ServerKeyReader>, ring: Arc<dyn KeyRing>, clock: Arc<dyn Clock>) -> Self {
        Self { keys, ring, clock, installed: Mutex::default(), version: AtomicU64::new(0), reads: Mutex::default() }
    }

    /// Installs the stored keys and returns them.
    pub async fn reload(&self) -> Result<Vec<ServerKey>, Error> {
        let keys = self.keys.server_keys().await?;
        self.install(&keys)?;
        Ok(keys)
    }

    /// Like [`CurrentKeys::reload`], but does nothing above the rate limit.
    pub async fn refresh(&self) -> Result<(), Error> {
        if self.may_read() { self.reload().await.map(drop) } else { Ok(()) }
    }

    fn may_read(&self) -> bool {
        let now = self.clock.now();
        let mut reads = lock(&self.reads);
        match &mut *reads {
            Some((began, count)) if (TimeDelta::zero()..READ_WINDOW).contains(&(now - *began)) => {
                *count = count.saturating_add(1);
                *count <= MAX_READS
            }
            other => {
                *other = Some((now, 1));
                true
            }
        }
    }

    /// Installs these keys unless they are already in use.
    pub(crate) fn install(&self, keys: &[ServerKey]) -> Result<(), Error> {
        let mut installed = lock(&self.installed);
        if installed.as_deref() != Some(keys) {
            self.ring.install(keys)?;
            *installed = Some(keys.to_vec());
            self.version.fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    /// Changes whenever different keys are installed. Tokens verified with another version must be verified again.
    fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }
}

/// Verifies access tokens. Each signature is verified once and remembered; whether its key is still stored must be
/// checked in the store.
#[derive(Clone)]
pub struct TokenVerifier {
    tokens: Arc<dyn AccessTokens>,
    keys: Arc<CurrentKeys>,
    /// What is known of the tokens and of other credentials.
    pub(crate) known: Arc<KnownCredentials>,
}

impl TokenVerifier {
    /// Creates a verifier with these keys.
    pub fn new(tokens: Arc<dyn AccessTokens>, keys: Arc<CurrentKeys>, known: Arc<KnownCredentials>) -> Self {
        Self { tokens, keys, known }
    }

    /// Verifies a token with this digest and returns its claims. If its key is unknown, the keys are reloaded, because
    /// another process may have just created it.
    pub async fn verify(&self, token: &str, digest: &CredentialDigest, now: Time) -> Result<VerifiedToken, Error> {
        let (key_version, known) = (self.keys.version(), self.known.find(digest));
        if let Some(verified) = known.as_ref().and_then(|known| known.verified(key_version)) {
            check_lifetime(&verified.claims, now).map_err(rejected)?;
            return Ok(verified.clone());
        }

        let verified = match self.tokens.verify(token, now) {
            Err(TokenError::UnknownKey) => {
                self.keys.refresh().await?;
                self.tokens.verify(token, now)
            }
            other => other,
        };
        let verified = verified.map_err(rejected)?;
        self.known.put_verified(digest, key_version, verified.clone());
        Ok(verified)
    }

    /// Returns what a known credential says as an access token, unless it must be verified again or has expired.
    pub fn recheck<'a>(&self, known: &'a KnownCredential, now: Time) -> Option<&'a VerifiedToken> {
        known.verified(self.keys.version()).filter(|verified| check_lifetime(&verified.claims, now).is_ok())
    }
}

fn rejected(error: TokenError) -> Error {
    match error {
        TokenError::Invalid | TokenError::UnknownKey => AuthenticationError::InvalidToken.into(),
        TokenError::Expired => AuthenticationError::ExpiredToken.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::ServerKeyPurpose;
    use crate::kernel::Revision;
    use crate::mocks::{
        FixedClock, MockAccessTokens, MockKeyRing, MockServerKeyReader, MockTokenVault, a_verified_token, id_of,
        instant, verifier,
    };

    fn no_credentials() -> Arc<KnownCredentials> {
        Arc::new(KnownCredentials::new(Arc::new(MockTokenVault::new())))
    }

    /// Verifies this many tokens with unknown keys. Returns how often keys are read from the store and installed.
    async fn reads_caused_by(tokens: usize) -> (usize, usize) {
        let counts = Arc::new(Mutex::new((0, 0)));
        let (mut reader, mut ring, mut signed) =
            (MockServerKeyReader::new(), MockKeyRing::new(), MockAccessTokens::new());
        let (read, installed) = (counts.clone(), counts.clone());
        reader.expect_server_keys().returning(move || {
            read.lock().unwrap().0 += 1;
            Ok(Vec::new())
        });
        ring.expect_install().returning(move |_| {
            installed.lock().unwrap().1 += 1;
            Ok(())
        });
        signed.expect_verify().returning(|_, _| Err(TokenError::UnknownKey));
        let clock = Arc::new(FixedClock::default());
        let keys = Arc::new(CurrentKeys::new(Arc::new(reader), Arc::new(ring), clock.clone()));
        let verifier = TokenVerifier::new(Arc::new(signed), keys.clone(), no_credentials());
        for _ in 0..tokens {
            let rejected = verifier.verify("token", &"token".into(), clock.now()).await;
            assert!(matches!(rejected, Err(Error::Unauthenticated(AuthenticationError::InvalidToken))), "{rejected:?}");
        }
        keys.reload().await.unwrap();
        let counts = counts.lock().unwrap();
        *counts
    }

    #[tokio::test]
    async fn tokens_with_unknown_keys_cause_at_most_ten_queries_a_second_and_unchanged_keys_are_not_reinstalled() {
        assert_eq!(reads_caused_by(1).await, (2, 1));
        assert_eq!(reads_caused_by(50).await, (11, 1));
    }

    #[tokio::test]
    async fn the_signature_of_a_token_is_verified_once() {
        let mut signed = MockAccessTokens::new();
        signed.expect_verify().withf(|token, _| token == "token").times(1).returning(|_, _| Ok(a_verified_token()));
        let other = VerifiedToken { signed_by: id_of("other").into(), ..a_verified_token() };
        let found = other.clone();
        signed.expect_verify().withf(|token, _| token == "other").times(1).returning(move |_, _| Ok(found.clone()));
        let verifier = verifier(signed);
        for _ in 0..2 {
            assert_eq!(verifier.verify("token", &"token".into(), instant()).await.unwrap(), a_verified_token());
            assert_eq!(verifier.clone().verify("other", &"other".into(), instant()).await.unwrap(), other);
        }
    }

    #[tokio::test]
    async fn a_cached_token_expires() {
        let mut signed = MockAccessTokens::new();
        signed.expect_verify().times(1).returning(|_, _| Ok(a_verified_token()));
        let verifier = verifier(signed);
        let ends_at = a_verified_token().claims.expires_at + TimeDelta::seconds(30);
        assert!(verifier.verify("token", &"token".into(), instant()).await.is_ok());
        assert!(verifier.verify("token", &"token".into(), ends_at - TimeDelta::seconds(1)).await.is_ok());
        let expired = verifier.verify("token", &"token".into(), ends_at).await;
        assert!(matches!(expired, Err(Error::Unauthenticated(AuthenticationError::ExpiredToken))), "{expired:?}");
        let too_early = verifier.verify("token", &"token".into(), instant() - TimeDelta::seconds(31)).await;
        assert!(matches!(too_early, Err(Error::Unauthenticated(AuthenticationError::InvalidToken))));
    }

    #[tokio::test]
    async fn a_rejected_token_is_not_cached() {
        let mut signed = MockAccessTokens::new();
        signed.expect_verify().times(1).returning(|_, _| Err(TokenError::Invalid));
        signed.expect_verify().times(1).returning(|_, _| Ok(a_verified_token()));
        let verifier = verifier(signed);
        assert!(verifier.verify("token", &"token".into(), instant()).await.is_err());
        assert!(verifier.verify("token", &"token".into(), instant()).await.is_ok());
    }

    #[tokio::test]
    async fn a_cached_token_is_rejected_after_its_key_is_uninstalled() {
        let key = ServerKey {
            id: id_of("key").into(),
            purpose: ServerKeyPurpose::KeyPepper,
            generation: 1,
            encrypted: Vec::new(),
            created_at: instant(),
            use_from: instant(),
            revision: Revision::FIRST,
        };
        let mut ring = MockKeyRing::new();
        ring.expect_install().returning(|_| Ok(()));
        let clock = Arc::new(FixedClock::default());
        let mut reader = MockServerKeyReader::new();
        reader.expect_server_keys().returning(|| Ok(Vec::new()));
        let keys = Arc::new(CurrentKeys::new(Arc::new(reader), Arc::new(ring), clock));
        let mut signed = MockAccessTokens::new();
        signed.expect_verify().times(1).returning(|_, _| Ok(a_verified_token()));
        signed.expect_verify().returning(|_, _| Err(TokenError::UnknownKey));
        let verifier = TokenVerifier::new(Arc::new(signed), keys.clone(), no_credentials());

        keys.install(std::slice::from_ref(&key)).unwrap();
        assert!(verifier.verify("token", &"token".into(), instant()).await.is_ok());
        keys.install(&[key]).unwrap();
        assert!(
            verifier.verify("token", &"token".into(), instant()).await.is_ok(),
            "Reinstalling the same keys must not reject the token."
        );
        keys.install(&[]).unwrap();
        let rejected = verifier.verify("token", &"token".into(), instant()).await;
        assert!(matches!(rejected, Err(Error::Unauthenticated(AuthenticationError::InvalidToken))), "{rejected:?}");
    }
}
