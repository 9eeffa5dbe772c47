//! Keys of the server's own: token signing keys and the pepper of API keys. Kept encrypted under the server secret.

use chrono::TimeDelta;

use super::{Revision, ServerKeyId, Time};

/// How long a replaced signing key still verifies: as long as the longest token that it can have signed last (a day, by
/// `steward token issue`), and the tolerance of clocks.
const RETIRING_TTL: TimeDelta = TimeDelta::seconds(86_430);

/// How access tokens are signed.
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
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Es256, Self::EdDsa, Self::Rs256];

    /// The `alg` of RFC 7518.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
        }
    }

    /// Reads an `alg`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == text)
    }
}

/// What a server key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServerKeyPurpose {
    /// Signs access tokens.
    TokenSigning(SigningAlgorithm),
    /// Signs access tokens by an algorithm that only another version knows: this one neither uses nor publishes it.
    UnknownTokenSigning,
    /// Keys the digests of API keys.
    KeyPepper,
}

/// A key of the server's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerKey {
    /// Its id.
    pub id: ServerKeyId,
    /// What it is for.
    pub purpose: ServerKeyPurpose,
    /// Its place among the keys of its kind, from 1. Two servers that start at once cannot both make the same one.
    pub generation: i64,
    /// The key material, encrypted under the server secret.
    pub encrypted: Vec<u8>,
    /// When it was made.
    pub created_at: Time,
    /// From when it is used: a standby key is published before, so that nobody meets a token they cannot check.
    pub use_from: Time,
    /// For compare-and-set.
    pub revision: Revision,
}

/// Where a signing key stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SigningKeyState {
    /// Published, so that everybody knows it before it is used.
    Standby,
    /// It signs tokens.
    Active,
    /// Another one signs; it is published and verifies until its last token has expired.
    Retiring {
        /// When that is.
        until: Time,
    },
    /// It is withdrawn, and about to be removed.
    Retired,
}

impl SigningKeyState {
    /// Its name.
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
    /// Whether it signs tokens, by an algorithm of this version.
    pub fn is_signing(&self) -> bool {
        matches!(self.purpose, ServerKeyPurpose::TokenSigning(_))
    }

    /// Where a signing key among these keys stands: it is replaced when the next later one comes into use.
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
        assert_eq!(states(hours(25)), ["retiring", "active", "standby"], "clocks may differ");
        assert_eq!(states(hours(26)), ["retired", "active", "standby"]);
        assert_eq!(states(hours(100)), ["retired", "retiring", "active"]);
    }

    #[test]
    fn a_key_of_an_unknown_algorithm_replaces_none() {
        let unknown = ServerKey { purpose: ServerKeyPurpose::UnknownTokenSigning, ..key(2, instant()) };
        let keys = [key(1, instant()), unknown];
        assert_eq!(keys[0].signing_state(&keys, instant()), SigningKeyState::Active);
    }
}
