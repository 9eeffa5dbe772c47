//! Sealing: keys of the server are kept encrypted under the server secret.

use std::fmt;

use anyhow::anyhow;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use zeroize::Zeroizing;

/// The first byte of what is sealed: how it was.
const VERSION: u8 = 1;

/// A server secret that is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be at least 32 characters")]
pub struct InvalidSecret;

/// The secret under which a server keeps its keys.
#[derive(Clone)]
pub struct ServerSecret(Zeroizing<String>);

impl ServerSecret {
    /// Takes a text of at least 32 characters.
    pub fn parse(text: &str) -> Result<Self, InvalidSecret> {
        if text.chars().count() < 32 { Err(InvalidSecret) } else { Ok(Self(Zeroizing::new(text.to_owned()))) }
    }

    /// What the server's keys are sealed with.
    pub(crate) fn sealing(&self) -> Sealing<'_> {
        Sealing::under(&self.0)
    }
}

/// Sealing under a text of high entropy.
pub(crate) struct Sealing<'a>(&'a str);

impl<'a> Sealing<'a> {
    /// Under this text.
    pub(crate) fn under(text: &'a str) -> Self {
        Self(text)
    }

    /// Encrypts. `purpose` is bound in: what is sealed for one cannot be opened for another.
    pub(crate) fn seal(&self, purpose: &str, plain: &[u8]) -> anyhow::Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| anyhow!("no randomness"))?;
        let mut text = plain.to_vec();
        self.key()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(purpose.as_bytes()), &mut text)
            .map_err(|_| anyhow!("it could not be sealed"))?;
        Ok([&[VERSION][..], &nonce, &text].concat())
    }

    /// Decrypts.
    pub(crate) fn open(&self, purpose: &str, sealed: &[u8]) -> anyhow::Result<Zeroizing<Vec<u8>>> {
        let unsealed = || {
            let (version, rest) = sealed.split_first()?;
            let (nonce, text) = rest.split_at_checked(NONCE_LEN)?;
            let nonce = Nonce::try_assume_unique_for_key(nonce).ok().filter(|_| *version == VERSION)?;
            let mut text = Zeroizing::new(text.to_vec());
            let plain = self.key().ok()?.open_in_place(nonce, Aad::from(purpose.as_bytes()), &mut text).ok()?.len();
            text.truncate(plain);
            Some(text)
        };
        unsealed().ok_or_else(|| {
            anyhow!("it cannot be unsealed: the server secret is not the one it was sealed with, or it was altered")
        })
    }

    fn key(&self) -> anyhow::Result<LessSafeKey> {
        let salt = Salt::new(HKDF_SHA256, b"steward");
        let key = salt.extract(self.0.as_bytes());
        let okm = key.expand(&[b"server keys"], &AES_256_GCM).map_err(|_| anyhow!("no key can be derived"))?;
        Ok(LessSafeKey::new(UnboundKey::from(okm)))
    }
}

impl fmt::Debug for ServerSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_only_with_its_secret_and_for_its_purpose() {
        let secret = ServerSecret::parse(&"a".repeat(32)).unwrap();
        let other = ServerSecret::parse(&"b".repeat(32)).unwrap();
        let sealing = secret.sealing();
        let sealed = sealing.seal("x", b"key").unwrap();
        assert_eq!(*sealing.open("x", &sealed).unwrap(), b"key");
        assert_ne!(sealed, sealing.seal("x", b"key").unwrap());
        assert!(sealing.open("y", &sealed).is_err());
        assert!(other.sealing().open("x", &sealed).is_err());
        for at in [0, 1, sealed.len() - 1] {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert!(sealing.open("x", &altered).is_err());
        }
        assert!(sealing.open("x", &sealed[..5]).is_err());
        assert!(ServerSecret::parse("short").is_err());
    }
}
