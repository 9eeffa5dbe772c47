//! Keyed digests of API keys.

use ring::hmac;
use steward_domain::administration::KeyValue;
use steward_domain::identity::ServerKey;
use steward_domain::kernel::{KeyDigest, Time, hex};

use crate::encryption::ServerSecret;

/// The purpose for which a pepper is encrypted.
pub const PURPOSE: &str = "key pepper";

/// A pepper: the HMAC key of the digests of API keys.
pub struct Pepper {
    pub generation: i64,
    pub use_from: Time,
    key: hmac::Key,
}

impl Pepper {
    /// Creates a pepper from its bytes.
    pub fn new(generation: i64, use_from: Time, bytes: &[u8]) -> Self {
        Self { generation, use_from, key: hmac::Key::new(hmac::HMAC_SHA256, bytes) }
    }

    /// Decrypts a pepper.
    pub fn decrypt(key: &ServerKey, secret: &ServerSecret) -> anyhow::Result<Self> {
        Ok(Self::new(key.generation, key.use_from, &secret.cipher().decrypt(PURPOSE, &key.encrypted)?))
    }

    /// Returns the HMAC-SHA256 of the value (RFC 2104).
    pub fn digest(&self, value: &KeyValue) -> KeyDigest {
        let tag = hmac::sign(&self.key, value.secret().expose().as_bytes());
        KeyDigest { pepper: self.generation, hex: hex::encode(tag.as_ref()) }
    }
}
