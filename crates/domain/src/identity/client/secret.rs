//! The secret of a confidential client (RFC 6749 §2.3.1).

use chrono::TimeDelta;

use crate::kernel::{OpaqueKind, PresentedValue, ReplacedValue, ReplacedValues, Secret, Time, TokenDigest, debug_only};

/// The secret of a confidential client, as it is stored: without its value.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientSecret {
    /// The digest of the current value.
    pub digest: TokenDigest,
    /// The prefix and last 4 characters of the current value.
    pub hint: String,
    /// When the current value was last used, with a precision of one minute.
    pub last_used: Option<Time>,
    /// The digests of the values before it.
    pub replaced: ReplacedValues<TokenDigest>,
}

impl ClientSecret {
    /// The longest grace period, in seconds (docs/contract.md#registered-clients).
    pub const MAX_GRACE_SECONDS: u32 = 24 * 60 * 60;

    /// Returns a new secret with this value.
    pub fn new(value: &Secret, digest: TokenDigest) -> Self {
        let hint = OpaqueKind::ClientSecret.hint(value);
        Self { digest, hint, last_used: None, replaced: ReplacedValues::none() }
    }

    /// Returns which value has this digest and works at `now`.
    pub fn value_of(&self, digest: &TokenDigest, now: Time) -> Option<PresentedValue> {
        if self.digest == *digest {
            return Some(PresentedValue::Current);
        }
        self.replaced.find(|replaced| replaced == digest).filter(|which| self.replaced.works(*which, now))
    }

    /// Returns when a value was last used, as stored.
    pub fn last_used_of(&self, which: PresentedValue) -> Option<Time> {
        self.replaced.get(which).map_or(self.last_used, |replaced| replaced.last_used)
    }

    /// Returns when the secret was last used, with any of its values.
    pub fn last_use(&self) -> Option<Time> {
        self.last_used.max(self.replaced.last_used())
    }

    /// Returns the secret with a new value. The old value works for the grace period, and those before it as long as they
    /// were to; if `grace` is zero, all of them stop working with the commit.
    pub fn rotated(self, value: &Secret, digest: TokenDigest, grace: TimeDelta, now: Time) -> Self {
        let old = ReplacedValue { stored: self.digest, expires_at: now + grace, last_used: self.last_used };
        Self { replaced: self.replaced.after_rotation(old, now), ..Self::new(value, digest) }
    }

    /// Returns the secret as of `now`: without values that no longer work.
    pub fn as_of(self, now: Time) -> Self {
        Self { replaced: self.replaced.as_of(now), ..self }
    }
}

debug_only!(ClientSecret: hint);

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
        assert_eq!(second.clone().as_of(instant() + grace).replaced, ReplacedValues::none());
        let third = second.clone().rotated(&value, digest("3"), TimeDelta::minutes(1), instant());
        let late = instant() + TimeDelta::minutes(59);
        assert_eq!((which(&third, "2", late), which(&third, "1", late)), (None, Some(PresentedValue::Earlier)));
        let ended = second.rotated(&value, digest("3"), TimeDelta::zero(), instant());
        assert_eq!((which(&ended, "2", instant()), which(&ended, "1", instant())), (None, None));
    }
}
