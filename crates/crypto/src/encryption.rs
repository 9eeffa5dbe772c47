//! Encryption of the server's keys under the server secret.

use std::fmt;

use anyhow::anyhow;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use zeroize::Zeroizing;

/// First byte of encrypted data: the version of the format.
const VERSION: u8 = 1;

/// The server secret is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be at least 32 characters")]
pub struct InvalidSecret;

/// The secret that encrypts the server's keys.
#[derive(Clone)]
pub struct ServerSecret(Zeroizing<String>);

impl ServerSecret {
    /// Accepts a text of at least 32 characters.
    pub fn parse(text: &str) -> Result<Self, InvalidSecret> {
        if text.chars().count() < 32 { Err(InvalidSecret) } else { Ok(Self(Zeroizing::new(text.to_owned()))) }
    }

    /// Returns the cipher that encrypts the server's keys.
    pub(crate) fn cipher(&self) -> SecretCipher<'_> {
        SecretCipher(&self.0)
    }
}

/// AES-256-GCM under a key that HKDF derives from a text of high entropy.
pub(crate) struct SecretCipher<'a>(pub(crate) &'a str);

impl SecretCipher<'_> {
    /// Encrypts data for a purpose. It can only be decrypted for the same purpose.
    pub(crate) fn encrypt(&self, purpose: &str, plain: &[u8]) -> anyhow::Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| anyhow!("The operating system provides no randomness."))?;
        let mut text = plain.to_vec();
        self.key()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(purpose.as_bytes()), &mut text)
            .map_err(|_| anyhow!("Encryption failed."))?;
        Ok([&[VERSION][..], &nonce, &text].concat())
    }

    /// Decrypts data that was encrypted for the purpose.
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
            anyhow!(
                "The server secret (STEWARD_SECRET) does not match this database, or the encrypted data was changed. \
                 Set the secret with which the database was created."
            )
        })
    }

    fn key(&self) -> anyhow::Result<LessSafeKey> {
        let salt = Salt::new(HKDF_SHA256, b"steward");
        let key = salt.extract(self.0.as_bytes());
        let okm = key.expand(&[b"server keys"], &AES_256_GCM).map_err(|_| anyhow!("Key derivation failed."))?;
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
    fn encrypted_data_can_be_decrypted_only_with_its_secret_and_purpose() {
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
