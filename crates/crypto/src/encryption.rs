//! SecretCipher: keys of the server are kept encrypted under the server secret.

use std::fmt;

use anyhow::anyhow;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use zeroize::Zeroizing;

/// The first byte of what is encrypted: how it was.
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

    /// What the server's keys are encrypted with.
    pub(crate) fn cipher(&self) -> SecretCipher<'_> {
        SecretCipher::under(&self.0)
    }
}

/// SecretCipher under a text of high entropy.
pub(crate) struct SecretCipher<'a>(&'a str);

impl<'a> SecretCipher<'a> {
    /// Under this text.
    pub(crate) fn under(text: &'a str) -> Self {
        Self(text)
    }

    /// Encrypts. `purpose` is bound in: what is encrypted for one cannot be opened for another.
    pub(crate) fn encrypt(&self, purpose: &str, plain: &[u8]) -> anyhow::Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| anyhow!("no randomness"))?;
        let mut text = plain.to_vec();
        self.key()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(purpose.as_bytes()), &mut text)
            .map_err(|_| anyhow!("it could not be encrypted"))?;
        Ok([&[VERSION][..], &nonce, &text].concat())
    }

    /// Decrypts.
    pub(crate) fn decrypt(&self, purpose: &str, encrypted: &[u8]) -> anyhow::Result<Zeroizing<Vec<u8>>> {
        let decrypted = || {
            let (version, rest) = encrypted.split_first()?;
            let (nonce, text) = rest.split_at_checked(NONCE_LEN)?;
            let nonce = Nonce::try_assume_unique_for_key(nonce).ok().filter(|_| *version == VERSION)?;
            let mut text = Zeroizing::new(text.to_vec());
            let plain = self.key().ok()?.open_in_place(nonce, Aad::from(purpose.as_bytes()), &mut text).ok()?.len();
            text.truncate(plain);
            Some(text)
        };
        decrypted().ok_or_else(|| {
            anyhow!("it cannot be decrypted: the server secret is not the one it was encrypted with, or it was altered")
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
        let cipher = secret.cipher();
        let encrypted = cipher.encrypt("x", b"key").unwrap();
        assert_eq!(*cipher.decrypt("x", &encrypted).unwrap(), b"key");
        assert_ne!(encrypted, cipher.encrypt("x", b"key").unwrap());
        assert!(cipher.decrypt("y", &encrypted).is_err());
        assert!(other.cipher().decrypt("x", &encrypted).is_err());
        for at in [0, 1, encrypted.len() - 1] {
            let mut altered = encrypted.clone();
            altered[at] ^= 1;
            assert!(cipher.decrypt("x", &altered).is_err());
        }
        assert!(cipher.decrypt("x", &encrypted[..5]).is_err());
        assert!(ServerSecret::parse("short").is_err());
    }
}
