//! The secret of a confidential client (RFC 6749 §2.3.1).

use std::fmt;

use chrono::TimeDelta;

use super::{OpaqueKind, PresentedValue, Secret, Time, TokenDigest};

/// The secret of a confidential client, as it is stored: without its value.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientSecret {
    /// The digest of the current value.
    pub digest: TokenDigest,
    /// The prefix and last 4 characters of the current value.
    pub hint: String,
    /// When the current value was last used, with a precision of one minute.
    pub last_used: Option<Time>,
    /// The previous value; `None` once it no longer works.
    pub previous: Option<PreviousClientSecret>,
}

/// The value that a secret had before it was rotated with a grace period.
#[derive(Clone, PartialEq, Eq)]
pub struct PreviousClientSecret {
    /// The digest of the value.
    pub digest: TokenDigest,
    /// When the value stops working.
    pub expires_at: Time,
    /// When it was last used, with a precision of one minute.
    pub last_used: Option<Time>,
}

impl ClientSecret {
    /// The longest grace period, in seconds (docs/contract.md#registered-clients).
    pub const MAX_GRACE_SECONDS: u32 = 24 * 60 * 60;

    /// Returns a new secret with this value.
    pub fn new(value: &Secret, digest: TokenDigest) -> Self {
        Self { digest, hint: OpaqueKind::ClientSecret.hint(value), last_used: None, previous: None }
    }

    /// Returns which value has this digest and works at `now`.
    pub fn value_of(&self, digest: &TokenDigest, now: Time) -> Option<PresentedValue> {
        let works = |previous: &&PreviousClientSecret| previous.expires_at > now && previous.digest == *digest;
        if self.digest == *digest {
            return Some(PresentedValue::Current);
        }
        self.previous.as_ref().filter(works).map(|_| PresentedValue::Previous)
    }

    /// Returns when a value was last used, as stored.
    pub fn last_used_of(&self, which: PresentedValue) -> Option<Time> {
        match which {
            PresentedValue::Current => self.last_used,
            PresentedValue::Previous => self.previous.as_ref().and_then(|previous| previous.last_used),
        }
    }

    /// Returns the secret with a new value. The old value works for the grace period, any earlier one no longer.
    pub fn rotated(self, value: &Secret, digest: TokenDigest, grace: TimeDelta, now: Time) -> Self {
        let old = PreviousClientSecret { digest: self.digest, expires_at: now + grace, last_used: self.last_used };
        Self { previous: Some(old).filter(|old| old.expires_at > now), ..Self::new(value, digest) }
    }

    /// Returns the secret as of `now`: without a previous value that no longer works.
    pub fn as_of(self, now: Time) -> Self {
        Self { previous: self.previous.filter(|previous| previous.expires_at > now), ..self }
    }
}

impl fmt::Debug for PreviousClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreviousClientSecret").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientSecret").field("hint", &self.hint).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::instant;

    #[test]
    fn a_rotated_secret_works_for_its_grace_period() {
        let digest = |text: &str| TokenDigest(text.to_owned());
        let value = Secret::new("stw_cs_first0001".to_owned());
        let (first, grace) = (ClientSecret::new(&value, digest("1")), TimeDelta::hours(1));
        assert_eq!(first.hint, "stw_cs_...0001");
        let second = first.clone().rotated(&value, digest("2"), grace, instant());
        let which = |secret: &ClientSecret, text, at| secret.value_of(&digest(text), at);
        assert_eq!(which(&second, "2", instant()), Some(PresentedValue::Current));
        assert_eq!(which(&second, "1", instant()), Some(PresentedValue::Previous));
        assert_eq!((which(&second, "1", instant() + grace), which(&second, "3", instant())), (None, None));
        assert_eq!(second.clone().as_of(instant() + grace).previous, None);
        let third = second.rotated(&value, digest("3"), TimeDelta::zero(), instant());
        assert_eq!((which(&third, "2", instant()), which(&third, "1", instant())), (None, None));
    }
}
