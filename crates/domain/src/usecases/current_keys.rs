//! The stored server keys in use: this process keeps in step with what others rotate and revoke.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::TimeDelta;

use crate::error::{AuthenticationFault, Error};
use crate::model::{ServerKey, Time};
use crate::ports::{AccessTokens, Clock, KeyRing, ServerKeyReader, TokenRefusal, VerifiedToken};

/// How often the stored keys are read in a window of time because a token or a reader of the key set asks for others. A
/// token may be signed with a key that is milliseconds old, and whoever sends tokens of made-up keys must cost little.
const READS: u32 = 10;
const WINDOW: TimeDelta = TimeDelta::seconds(1);

/// Installs the stored keys.
pub struct CurrentKeys {
    keys: Arc<dyn ServerKeyReader>,
    ring: Arc<dyn KeyRing>,
    clock: Arc<dyn Clock>,
    installed: Mutex<Option<Vec<ServerKey>>>,
    /// When the window began, and how many reads there were in it.
    reads: Mutex<Option<(Time, u32)>>,
}

impl CurrentKeys {
    /// Over these ports.
    pub fn new(keys: Arc<dyn ServerKeyReader>, ring: Arc<dyn KeyRing>, clock: Arc<dyn Clock>) -> Self {
        Self { keys, ring, clock, installed: Mutex::default(), reads: Mutex::default() }
    }

    /// Installs what is stored now, and returns it.
    pub async fn reload(&self) -> Result<Vec<ServerKey>, Error> {
        let keys = self.keys.server_keys().await?;
        self.install(&keys)?;
        Ok(keys)
    }

    /// The same, unless it was done too often just now.
    pub async fn refresh(&self) -> Result<(), Error> {
        if self.may_read() { self.reload().await.map(drop) } else { Ok(()) }
    }

    fn may_read(&self) -> bool {
        let now = self.clock.now();
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *reads {
            Some((began, count)) if (TimeDelta::zero()..WINDOW).contains(&(now - *began)) => {
                *count = count.saturating_add(1);
                *count <= READS
            }
            other => {
                *other = Some((now, 1));
                true
            }
        }
    }

    /// Installs these keys, unless they are in use already.
    pub(super) fn install(&self, keys: &[ServerKey]) -> Result<(), Error> {
        let mut installed = self.installed.lock().unwrap_or_else(PoisonError::into_inner);
        if installed.as_deref() != Some(keys) {
            self.ring.install(keys)?;
            *installed = Some(keys.to_vec());
        }
        Ok(())
    }
}

/// Checks access tokens.
#[derive(Clone)]
pub struct TokenVerifier {
    tokens: Arc<dyn AccessTokens>,
    keys: Arc<CurrentKeys>,
}

impl TokenVerifier {
    /// By these keys.
    pub fn new(tokens: Arc<dyn AccessTokens>, keys: Arc<CurrentKeys>) -> Self {
        Self { tokens, keys }
    }

    /// What a token says. A key that is not known here may have been made by another process just now.
    pub async fn verify(&self, token: &str, now: Time) -> Result<VerifiedToken, Error> {
        let verified = match self.tokens.verify(token, now) {
            Err(TokenRefusal::UnknownKey) => {
                self.keys.refresh().await?;
                self.tokens.verify(token, now)
            }
            other => other,
        };
        verified.map_err(|refusal| match refusal {
            TokenRefusal::Invalid | TokenRefusal::UnknownKey => AuthenticationFault::BadToken.into(),
            TokenRefusal::Expired => AuthenticationFault::ExpiredToken.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{FixedClock, MockAccessTokens, MockKeyRing, MockServerKeyReader};

    /// How often the store is asked for keys, and the keys are installed, when this many tokens of unknown keys come.
    async fn asked_by(tokens: usize) -> (usize, usize) {
        let counts = Arc::new(Mutex::new((0, 0)));
        let (mut reader, mut ring, mut signed) =
            (MockServerKeyReader::new(), MockKeyRing::new(), MockAccessTokens::new());
        let (asked, installed) = (counts.clone(), counts.clone());
        reader.expect_server_keys().returning(move || {
            asked.lock().unwrap().0 += 1;
            Ok(Vec::new())
        });
        ring.expect_install().returning(move |_| {
            installed.lock().unwrap().1 += 1;
            Ok(())
        });
        signed.expect_verify().returning(|_, _| Err(TokenRefusal::UnknownKey));
        let clock = Arc::new(FixedClock::default());
        let keys = Arc::new(CurrentKeys::new(Arc::new(reader), Arc::new(ring), clock.clone()));
        let verifier = TokenVerifier::new(Arc::new(signed), keys.clone());
        for _ in 0..tokens {
            let refused = verifier.verify("token", clock.now()).await;
            assert!(matches!(refused, Err(Error::Unauthenticated(AuthenticationFault::BadToken))), "{refused:?}");
        }
        keys.reload().await.unwrap();
        let counts = counts.lock().unwrap();
        *counts
    }

    #[tokio::test]
    async fn tokens_of_made_up_keys_cost_ten_queries_a_second_and_unchanged_keys_are_not_installed_again() {
        assert_eq!(asked_by(1).await, (2, 1));
        assert_eq!(asked_by(50).await, (11, 1));
    }
}
