//! Server keys: token signing keys and the pepper of API keys. They are stored encrypted with the server secret.

use chrono::TimeDelta;

use crate::kernel::{Revision, ServerKeyId, Time, audited, named};

/// How long a replaced signing key still verifies tokens: the longest lifetime of a token (one day, issued by
/// `steward token issue`) plus the clock tolerance.
const RETIRING_TTL: TimeDelta = TimeDelta::seconds(86_430);

named! {
    /// A kind of token that the service signs. Each has its own keys.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SignedToken: "the name used in commands and in the audit log" {
        /// Access tokens (RFC 9068).
        Access = "access_token",
        /// ID tokens (OpenID Connect Core §2).
        Id = "id_token",
    }
}

named! {
    /// An algorithm that signs tokens.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum SigningAlgorithm: "the `alg` value (RFC 7518)" {
        /// ECDSA on P-256 with SHA-256 (RFC 7518 §3.4).
        Es256 = "ES256",
        /// Ed25519 (RFC 8037).
        EdDsa = "EdDSA",
        /// RSASSA-PKCS1-v1_5 with SHA-256, 2048 bits (RFC 7518 §3.3).
        Rs256 = "RS256",
    }
}

/// The algorithm for each kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SigningAlgorithms {
    /// Signs access tokens.
    pub access_tokens: SigningAlgorithm,
    /// Signs ID tokens.
    pub id_tokens: SigningAlgorithm,
}

impl Default for SigningAlgorithms {
    /// Most client libraries expect that ID tokens are signed with RS256 (OpenID Connect Core §15.1). For access
    /// tokens, ES256 is shorter and faster to sign.
    fn default() -> Self {
        Self { access_tokens: SigningAlgorithm::Es256, id_tokens: SigningAlgorithm::Rs256 }
    }
}

impl SigningAlgorithms {
    /// Returns the algorithm for a kind of token.
    pub const fn of(self, token: SignedToken) -> SigningAlgorithm {
        match token {
            SignedToken::Access => self.access_tokens,
            SignedToken::Id => self.id_tokens,
        }
    }
}

/// The purpose of a server key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServerKeyPurpose {
    /// Signs tokens of this kind.
    TokenSigning(SignedToken, SigningAlgorithm),
    /// Signs tokens of this kind with an algorithm that only another version supports. This version neither uses nor
    /// publishes the key.
    UnknownTokenSigning(SignedToken),
    /// The key (pepper) of the digests of API keys.
    KeyPepper,
}

impl ServerKeyPurpose {
    /// Returns the kind of token that the key signs; `None` for a pepper.
    pub const fn signed_token(self) -> Option<SignedToken> {
        match self {
            Self::TokenSigning(token, _) | Self::UnknownTokenSigning(token) => Some(token),
            Self::KeyPepper => None,
        }
    }
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

audited!(ServerKey as ServerKey of nobody, |key| {
    "purpose": match key.purpose {
        ServerKeyPurpose::TokenSigning(_, algorithm) => algorithm.as_str(),
        ServerKeyPurpose::UnknownTokenSigning(_) => "unknown",
        ServerKeyPurpose::KeyPepper => "key_pepper",
    },
    "signs": key.purpose.signed_token().map(SignedToken::as_str),
    "generation": key.generation, "use_from": key.use_from.to_rfc3339(),
});

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
        matches!(self.purpose, ServerKeyPurpose::TokenSigning(..))
    }

    /// Returns whether the key signs tokens of this kind with an algorithm that this version supports.
    pub fn signs(&self, token: SignedToken) -> bool {
        self.is_signing() && self.purpose.signed_token() == Some(token)
    }

    /// Returns the state of a signing key among `keys`. A key is replaced when the next later key for the same tokens
    /// comes into use.
    pub fn signing_state(&self, keys: &[Self], now: Time) -> SigningKeyState {
        let is_successor = |key: &&Self| {
            let signs_same = key.is_signing() && key.purpose.signed_token() == self.purpose.signed_token();
            signs_same && key.generation > self.generation
        };
        match keys.iter().filter(is_successor).map(|key| key.use_from).min() {
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
            purpose: ServerKeyPurpose::TokenSigning(SignedToken::Access, SigningAlgorithm::Es256),
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
    fn a_key_for_other_tokens_or_with_an_unknown_algorithm_does_not_replace_a_key() {
        let of_id_tokens = ServerKeyPurpose::TokenSigning(SignedToken::Id, SigningAlgorithm::Es256);
        let other = ServerKey { purpose: of_id_tokens, ..key(2, instant()) };
        let unknown_purpose = ServerKeyPurpose::UnknownTokenSigning(SignedToken::Access);
        let unknown = ServerKey { purpose: unknown_purpose, ..key(3, instant()) };
        let keys = [key(1, instant()), other, unknown];
        assert_eq!(keys[0].signing_state(&keys, instant()), SigningKeyState::Active);
    }
}
