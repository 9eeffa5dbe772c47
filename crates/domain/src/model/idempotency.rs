//! Requests that may be sent again: the key that a caller gives, and what is kept under it.

use std::fmt;

use super::{ClaimId, InvalidValue, Time};

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
pub struct Claim {
    /// Its id. It changes when the claim is taken over, so that who had it before can store nothing more.
    pub id: ClaimId,
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
pub enum Repeated {
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

impl Claim {
    /// What is to be done with a request of this fingerprint.
    pub fn judge(&self, fingerprint: &str, now: Time) -> Repeated {
        match self {
            claim if claim.expires_at <= now => Repeated::Over,
            claim if claim.fingerprint != fingerprint => Repeated::Mismatch,
            Self { answer: Some(_), .. } => Repeated::Answered,
            claim if claim.leased_until > now => Repeated::InProgress,
            Self { is_effective: true, .. } => Repeated::AnswerLost,
            _ => Repeated::Abandoned,
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
        let fresh = Claim {
            id: id_of("claim").into(),
            caller: "account:ann".into(),
            key_digest: "k".into(),
            fingerprint: "f".into(),
            leased_until: after,
            expires_at: after,
            is_effective: false,
            answer: None,
        };
        assert_eq!(fresh.judge("f", now), Repeated::InProgress);
        assert_eq!(fresh.judge("g", now), Repeated::Mismatch);
        let left = Claim { leased_until: before, ..fresh.clone() };
        assert_eq!(left.judge("f", now), Repeated::Abandoned);
        assert_eq!(left.judge("g", now), Repeated::Mismatch);
        assert_eq!(Claim { is_effective: true, ..left.clone() }.judge("f", now), Repeated::AnswerLost);
        let answered = Claim { answer: Some(vec![1]), is_effective: true, ..left };
        assert_eq!(answered.judge("f", now), Repeated::Answered);
        assert_eq!(Claim { expires_at: now, ..answered }.judge("g", now), Repeated::Over);
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
