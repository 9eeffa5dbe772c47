//! Requests that may be sent again: the key that a caller gives, and what is kept under it.

use std::fmt;

use super::{IdempotentRequestId, InvalidValue, Time};

/// What a caller marks a request with, so that sending it again does nothing again: 1 to 255 printable ASCII characters.
#[derive(Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Checks the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let fits = (1..=255).contains(&text.len()) && text.bytes().all(|b| (b' '..=b'~').contains(&b));
        if fits { Ok(Self(text.to_owned())) } else { Err(InvalidValue("must be 1 to 255 printable ASCII characters")) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdempotencyKey")
    }
}

/// A claim on a key: whoever has it does the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// Its id. It changes when the claim is taken over, so that who had it before can store nothing more.
    pub id: IdempotentRequestId,
    /// Whose key it is: the kind and id of a credential's holder.
    pub caller: String,
    /// SHA-256 of the key.
    pub key_digest: String,
    /// SHA-256 of what was asked.
    pub fingerprint: String,
    /// Until when whoever claimed it is believed to be at work.
    pub leased_until: Time,
    /// Until when the answer is kept.
    pub expires_at: Time,
    /// Whether the request has changed anything: stored with the change.
    pub is_effective: bool,
    /// The answer, encrypted, once there is one.
    pub answer: Option<Vec<u8>>,
}

/// What is to be done with a request whose key is claimed already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyReuse {
    /// It is another request under the same key.
    Mismatch,
    /// Give the same answer.
    Answered,
    /// The first is still being done.
    InProgress,
    /// It was done, and its answer was lost.
    AnswerLost,
    /// Whoever began it is gone and changed nothing: do it.
    Abandoned,
    /// It is kept no longer: do it.
    Over,
}

impl IdempotentRequest {
    /// What is to be done with a request of this fingerprint.
    pub fn judge(&self, fingerprint: &str, now: Time) -> KeyReuse {
        match self {
            claim if claim.expires_at <= now => KeyReuse::Over,
            claim if claim.fingerprint != fingerprint => KeyReuse::Mismatch,
            Self { answer: Some(_), .. } => KeyReuse::Answered,
            claim if claim.leased_until > now => KeyReuse::InProgress,
            Self { is_effective: true, .. } => KeyReuse::AnswerLost,
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
    fn a_claim_is_judged_by_what_became_of_it() {
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
        assert_eq!(fresh.judge("f", now), KeyReuse::InProgress);
        assert_eq!(fresh.judge("g", now), KeyReuse::Mismatch);
        let left = IdempotentRequest { leased_until: before, ..fresh.clone() };
        assert_eq!(left.judge("f", now), KeyReuse::Abandoned);
        assert_eq!(left.judge("g", now), KeyReuse::Mismatch);
        assert_eq!(IdempotentRequest { is_effective: true, ..left.clone() }.judge("f", now), KeyReuse::AnswerLost);
        let answered = IdempotentRequest { answer: Some(vec![1]), is_effective: true, ..left };
        assert_eq!(answered.judge("f", now), KeyReuse::Answered);
        assert_eq!(IdempotentRequest { expires_at: now, ..answered }.judge("g", now), KeyReuse::Over);
    }

    #[test]
    fn a_key_is_printable_and_not_too_long() {
        for good in ["a", "b2f7 -_~!", &"x".repeat(255)] {
            assert!(IdempotencyKey::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "ä", "a\tb", "a\0", &"x".repeat(256)] {
            assert!(IdempotencyKey::parse(bad).is_err(), "{bad}");
        }
    }
}
