//! Server keys: token signing keys and the pepper of API keys. They are stored encrypted with the server secret.

use chrono::TimeDelta;

use super::{Revision, ServerKeyId, Time};

/// How long a replaced signing key still verifies tokens: the longest lifetime of a token (one day, issued by
/// `steward token issue`) plus the clock tolerance.
const RETIRING_TTL: TimeDelta = TimeDelta::seconds(86_430);

/// The algorithm that signs access tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SigningAlgorithm {
    /// ECDSA on P-256 with SHA-256 (RFC 7518 §3.4).
    Es256,
    /// Ed25519 (RFC 8037).
    EdDsa,
    /// RSASSA-PKCS1-v1_5 with SHA-256, 2048 bits (RFC 7518 §3.3).
    Rs256,
}

impl SigningAlgorithm {
    /// All variants, the default first.
    pub const ALL: [Self; 3] = [Self::Es256, Self::EdDsa, Self::Rs256];

    /// Returns the `alg` value (RFC 7518).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
        }
    }

    /// Parses an `alg` value; returns `None` if it is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == text)
    }
}

/// The purpose of a server key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServerKeyPurpose {
    /// Signs access tokens.
    TokenSigning(SigningAlgorithm),
    /// Signs access tokens with an algorithm that only another version supports. This version neither uses nor
    /// publishes the key.
    UnknownTokenSigning,
    /// The key (pepper) of the digests of API keys.
    KeyPepper,
}

/// A key of the server itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerKey {
    /// Unique ID of the key.
    pub id: ServerKeyId,
    /// The purpose of the key.
    pub purpose: ServerKeyPurpose,
    /// The sequence number among the keys of the same kind, from 1. It prevents two servers that start at the same time
    /// from both creating the same key.
    pub generation: i64,
    /// The key material, encrypted with the server secret.
    pub encrypted: Vec<u8>,
    /// When the key was created.
    pub created_at: Time,
    /// When the key comes into use. A standby key is published before, so that every verifier knows it in time.
    pub use_from: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

/// The state of a signing key in its life cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SigningKeyState {
    /// Published before it is used, so that every verifier knows it.
    Standby,
    /// Signs tokens.
    Active,
    /// Another key signs tokens. This one stays published, and verifies tokens until the last one it signed has
    /// expired.
    Retiring {
        /// When it is withdrawn.
        until: Time,
    },
    /// Withdrawn, and about to be deleted.
    Retired,
}

impl SigningKeyState {
    /// Returns the name of the state.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standby => "standby",
            Self::Active => "active",
            Self::Retiring { .. } => "retiring",
            Self::Retired => "retired",
        }
    }
}

impl ServerKey {
    /// Returns whether the key signs tokens with an algorithm that this version supports.
    pub fn is_signing(&self) -> bool {
        matches!(self.purpose, ServerKeyPurpose::TokenSigning(_))
    }

    /// Returns the state of a signing key among `keys`. A key is replaced when the next later signing key comes into
    /// use.
    pub fn signing_state(&self, keys: &[Self], now: Time) -> SigningKeyState {
        let successors = keys.iter().filter(|key| key.is_signing() && key.generation > self.generation);
        match successors.map(|key| key.use_from).min() {
            Some(replaced_at) if replaced_at <= now => {
                let until = replaced_at + RETIRING_TTL;
                if until <= now { SigningKeyState::Retired } else { SigningKeyState::Retiring { until } }
            }
            _ if self.use_from > now => SigningKeyState::Standby,
            _ => SigningKeyState::Active,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{id_of, instant};

    fn key(generation: i64, use_from: Time) -> ServerKey {
        ServerKey {
            id: id_of(&format!("key-{generation}")).into(),
            purpose: ServerKeyPurpose::TokenSigning(SigningAlgorithm::Es256),
            generation,
            encrypted: Vec::new(),
            created_at: instant(),
            use_from,
            revision: Revision::FIRST,
        }
    }

    #[test]
    fn a_signing_key_is_standby_then_active_then_retiring_until_its_last_token_has_expired() {
        let hours = |hours| instant() + TimeDelta::hours(hours);
        let keys = [key(1, instant()), key(2, hours(1)), key(3, hours(100))];
        let states = |now: Time| keys.each_ref().map(|key| key.signing_state(&keys, now).as_str());
        assert_eq!(states(instant()), ["active", "standby", "standby"]);
        assert_eq!(states(hours(1)), ["retiring", "active", "standby"]);
        assert_eq!(states(hours(25)), ["retiring", "active", "standby"], "the clock tolerance applies");
        assert_eq!(states(hours(26)), ["retired", "active", "standby"]);
        assert_eq!(states(hours(100)), ["retired", "retiring", "active"]);
    }

    #[test]
    fn a_key_with_an_unknown_algorithm_does_not_replace_another_key() {
        let unknown = ServerKey { purpose: ServerKeyPurpose::UnknownTokenSigning, ..key(2, instant()) };
        let keys = [key(1, instant()), unknown];
        assert_eq!(keys[0].signing_state(&keys, instant()), SigningKeyState::Active);
    }
}
