//! Idempotent requests: the `Idempotency-Key` that a caller sends, and the data stored for it.

use crate::kernel::{IdempotentRequestId, InvalidValue, Time, debug_only};

/// The key that makes a repeated request have no further effect: 1 to 255 printable ASCII characters.
#[derive(Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Validates the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let is_valid = (1..=255).contains(&text.len()) && text.bytes().all(|b| (b' '..=b'~').contains(&b));
        is_valid.then(|| Self(text.to_owned())).ok_or(InvalidValue("must be 1 to 255 printable ASCII characters"))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

debug_only!(IdempotencyKey);

/// A claim on an idempotency key. The holder of the claim performs the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// Unique ID of the claim. It changes when another request takes over the claim, so that the previous holder can no
    /// longer store anything.
    pub id: IdempotentRequestId,
    /// The owner of the key: the kind and ID of the credential's holder.
    pub caller: String,
    /// SHA-256 of the key.
    pub key_digest: String,
    /// SHA-256 of the request.
    pub fingerprint: String,
    /// Until this time, the holder of the claim is assumed to be performing the request.
    pub leased_until: Time,
    /// When the stored response expires.
    pub expires_at: Time,
    /// Whether the request has changed data. Stored in the same commit as the change.
    pub is_effective: bool,
    /// The encrypted response; `None` until there is one.
    pub answer: Option<Vec<u8>>,
}

/// What to do with a request whose key is already claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyReuse {
    /// It is a different request with the same key: reject it.
    Mismatch,
    /// The first request was answered: return the same response.
    Completed,
    /// The first request is still in progress.
    InProgress,
    /// The first request changed data, but its response was lost.
    ResponseLost,
    /// The first request was abandoned without changing data: perform the request.
    Abandoned,
    /// The claim has expired: perform the request.
    Expired,
}

impl IdempotentRequest {
    /// Returns what to do with a request that has this fingerprint.
    pub fn evaluate(&self, fingerprint: &str, now: Time) -> KeyReuse {
        match self {
            claim if claim.expires_at <= now => KeyReuse::Expired,
            claim if claim.fingerprint != fingerprint => KeyReuse::Mismatch,
            Self { answer: Some(_), .. } => KeyReuse::Completed,
            claim if claim.leased_until > now => KeyReuse::InProgress,
            Self { is_effective: true, .. } => KeyReuse::ResponseLost,
            _ => KeyReuse::Abandoned,
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::mocks::{id_of, instant};

    #[test]
    fn the_reuse_of_a_key_depends_on_the_state_of_its_claim() {
        let now = instant();
        let (before, after) = (now - TimeDelta::seconds(1), now + TimeDelta::seconds(1));
        let fresh = IdempotentRequest {
            id: id_of("claim").into(),
            caller: "account:ann".into(),
            key_digest: "k".into(),
            fingerprint: "f".into(),
            leased_until: after,
            expires_at: after,
            is_effective: false,
            answer: None,
        };
        assert_eq!(fresh.evaluate("f", now), KeyReuse::InProgress);
        assert_eq!(fresh.evaluate("g", now), KeyReuse::Mismatch);
        let abandoned = IdempotentRequest { leased_until: before, ..fresh.clone() };
        assert_eq!(abandoned.evaluate("f", now), KeyReuse::Abandoned);
        assert_eq!(abandoned.evaluate("g", now), KeyReuse::Mismatch);
        assert_eq!(
            IdempotentRequest { is_effective: true, ..abandoned.clone() }.evaluate("f", now),
            KeyReuse::ResponseLost
        );
        let answered = IdempotentRequest { answer: Some(vec![1]), is_effective: true, ..abandoned };
        assert_eq!(answered.evaluate("f", now), KeyReuse::Completed);
        assert_eq!(IdempotentRequest { expires_at: now, ..answered }.evaluate("g", now), KeyReuse::Expired);
    }

    #[test]
    fn a_key_is_printable_and_not_too_long() {
        for valid in ["a", "b2f7 -_~!", &"x".repeat(255)] {
            assert!(IdempotencyKey::parse(valid).is_ok(), "{valid}");
        }
        for invalid in ["", "ä", "a\tb", "a\0", &"x".repeat(256)] {
            assert!(IdempotencyKey::parse(invalid).is_err(), "{invalid}");
        }
    }
}
