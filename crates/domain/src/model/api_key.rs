//! API keys: credentials of a project's own servers and browsers.

use std::fmt;
use std::sync::Arc;

use chrono::TimeDelta;
use zeroize::Zeroizing;

use crate::policy::{KeyRoles, Permission};

use super::{AccountId, ApiKeyId, InvalidValue, KeyDigest, Label, ProjectId, ProjectInTeam, Revision, Secret, Time};

const PRIVATE: &str = "stw_sk_";
const PUBLIC: &str = "stw_pk_";
const PERSONAL: &str = "stw_pat_";
const PREFIXES: [&str; 3] = [PRIVATE, PUBLIC, PERSONAL];
pub(super) const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BODY: usize = 43;
const CHECKSUM: usize = 6;

/// The value of an API key, `stw_sk_` (private) or `stw_pk_` (public), or of a personal access token, `stw_pat_`: the prefix,
/// 43 base62 characters that carry 256 random bits, and 6 of CRC32 over what precedes. Secret scanners find it, and a typo
/// is refused without a query.
#[derive(Debug, Clone)]
pub struct KeyValue(Secret);

impl KeyValue {
    /// Spells 256 random bits as the value of an API key.
    pub fn from_entropy(is_private: bool, entropy: &Zeroizing<[u8; 32]>) -> Self {
        Self::spelled(if is_private { PRIVATE } else { PUBLIC }, entropy)
    }

    /// Spells 256 random bits as the value of a personal access token.
    pub fn personal(entropy: &Zeroizing<[u8; 32]>) -> Self {
        Self::spelled(PERSONAL, entropy)
    }

    fn spelled(prefix: &str, entropy: &Zeroizing<[u8; 32]>) -> Self {
        let mut text = format!("{prefix}{}", base62(entropy.clone().as_mut_slice(), BODY));
        text.push_str(&checksum(&text));
        Self(Secret::new(text))
    }

    /// Whether a bearer credential claims to be such a value rather than a signed token.
    pub fn is_meant(credential: &str) -> bool {
        PREFIXES.iter().any(|prefix| credential.starts_with(prefix))
    }

    /// Whether it is of a personal access token.
    pub fn is_personal(&self) -> bool {
        self.0.expose().starts_with(PERSONAL)
    }

    /// Checks form and checksum.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue = InvalidValue("is no API key: a character is missing or mistyped");
        let prefix = PREFIXES.iter().find(|prefix| text.starts_with(**prefix)).ok_or(ERROR)?;
        let sum_at = prefix.len() + BODY;
        let fits = text.len() == sum_at + CHECKSUM && text.bytes().skip(prefix.len()).all(|b| ALPHABET.contains(&b));
        match text.split_at_checked(sum_at) {
            Some((stem, sum)) if fits && checksum(stem) == sum => Ok(Self(Secret::new(text.to_owned()))),
            _ => Err(ERROR),
        }
    }

    /// The secret text.
    pub fn secret(&self) -> &Secret {
        &self.0
    }

    /// The prefix and the last 4 characters: enough for people to tell keys apart.
    pub fn hint(&self) -> String {
        let text = self.0.expose();
        let prefix = PREFIXES.iter().find(|prefix| text.starts_with(**prefix)).copied().unwrap_or_default();
        let tail = text.len().checked_sub(4).and_then(|at| text.get(at..)).unwrap_or_default();
        format!("{prefix}...{tail}")
    }
}

fn checksum(stem: &str) -> String {
    base62(&mut crc32fast::hash(stem.as_bytes()).to_be_bytes(), CHECKSUM)
}

/// Base62 of a big-endian number, padded to `width`. Uses up the number.
pub(super) fn base62(number: &mut [u8], width: usize) -> String {
    let mut digits: Vec<char> = (0..width)
        .map(|_| {
            let mut rest = 0_u16;
            for byte in number.iter_mut() {
                let value = (rest << 8) | u16::from(*byte);
                *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
                rest = value % 62;
            }
            char::from(ALPHABET.get(usize::from(rest)).copied().unwrap_or(b'0'))
        })
        .collect();
    digits.reverse();
    digits.into_iter().collect()
}

/// The value that a key had before it was regenerated with a time of grace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousValue {
    /// What is kept of it.
    pub digest: KeyDigest,
    /// Until when it works.
    pub expires_at: Time,
    /// When it was last used, exact to a minute.
    pub last_used: Option<Time>,
}

/// Which of a key's values somebody presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PresentedValue {
    /// The one it has.
    Current,
    /// The one it had before, within its time of grace.
    Previous,
}

/// An API key as it is kept: without its value.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id; it stays when the value is regenerated.
    pub id: ApiKeyId,
    /// The project it opens.
    pub project_id: ProjectId,
    /// What people call it.
    pub label: Label,
    /// What it may do.
    pub roles: KeyRoles,
    /// Private keys stay on servers; the others may be shown in browsers and only read.
    pub is_private: bool,
    /// What is kept of the value.
    pub digest: KeyDigest,
    /// Prefix and last characters of the value.
    pub hint: String,
    /// The value before, as long as it goes on working.
    pub previous: Option<PreviousValue>,
    /// Who made it.
    pub created_by: AccountId,
    /// Who gave it its present value, unless that is the first, or the key did it itself.
    pub regenerated_by: Option<AccountId>,
    /// When it was made.
    pub created_at: Time,
    /// Until when it is good. `None`: forever.
    pub expires_at: Option<Time>,
    /// When its present value was last used, exact to a minute.
    pub last_used: Option<Time>,
    /// For compare-and-set.
    pub revision: Revision,
}

impl ApiKey {
    /// Whether the key is past its time.
    pub fn is_expired(&self, now: Time) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// The longest time of grace, in seconds (contract 5).
    pub const MAX_GRACE_SECONDS: u32 = 24 * 60 * 60;

    /// Which of its values has one of these digests and works now.
    pub fn value_of(&self, digests: &[KeyDigest], now: Time) -> Option<PresentedValue> {
        let works = |previous: &&PreviousValue| previous.expires_at > now && digests.contains(&previous.digest);
        match &self.previous {
            _ if digests.contains(&self.digest) => Some(PresentedValue::Current),
            previous => previous.as_ref().filter(works).map(|_| PresentedValue::Previous),
        }
    }

    /// The key as it is at this moment: without a previous value that has stopped.
    pub fn as_of(self, now: Time) -> Self {
        Self { previous: self.previous.filter(|previous| previous.expires_at > now), ..self }
    }

    /// The same key with a new value. The old one works for the time of grace; without one it stops with the commit, and
    /// so does whatever was there before it.
    pub fn regenerated(
        self,
        value: &KeyValue,
        digest: KeyDigest,
        by: Option<AccountId>,
        grace: TimeDelta,
        now: Time,
    ) -> Self {
        let old = PreviousValue { digest: self.digest, expires_at: now + grace, last_used: self.last_used };
        Self {
            digest,
            hint: value.hint(),
            previous: Some(old).filter(|old| old.expires_at > now),
            // Whoever was shown a value before may know the key still.
            regenerated_by: by.or(self.regenerated_by),
            last_used: None,
            ..self
        }
    }

    /// Public keys are seen by everyone, so they may only read.
    pub fn may_carry(is_private: bool, roles: &KeyRoles) -> bool {
        is_private || roles.permissions().iter().all(Permission::is_read)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey").field("id", &self.id).field("hint", &self.hint).finish_non_exhaustive()
    }
}

/// A key together with the one project it opens: what authentication learns in one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyBearer {
    /// The key.
    pub key: ApiKey,
    /// Which of its values was presented.
    pub presented: PresentedValue,
    /// Its project.
    pub project: Arc<ProjectInTeam>,
}

impl KeyBearer {
    /// Whether it may give its own key a new value. Everybody may have a public value, and a previous one was replaced for a
    /// reason.
    pub fn may_regenerate_itself(&self) -> bool {
        self.key.is_private && self.presented == PresentedValue::Current
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_key, instant};

    fn value(byte: u8) -> KeyValue {
        KeyValue::from_entropy(true, &Zeroizing::new([byte; 32]))
    }

    #[test]
    fn a_value_reads_back_and_a_typo_does_not() {
        for byte in [0, 1, 127, 255] {
            let value = value(byte);
            let text = value.secret().expose();
            assert_eq!(text.len(), 7 + 43 + 6);
            assert!(KeyValue::parse(text).is_ok());
            for at in [7, 20, 49, 55] {
                let mut typo = text.to_owned().into_bytes();
                typo[at] = if typo[at] == b'x' { b'y' } else { b'x' };
                assert!(KeyValue::parse(std::str::from_utf8(&typo).unwrap()).is_err());
            }
        }
        for bad in ["", "stw_sk_", "stw_sk_é", &"stw_sk_0".repeat(9), "eyJhbGciOi"] {
            assert!(KeyValue::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn different_entropy_gives_different_values() {
        assert_ne!(value(1).secret().expose(), value(2).secret().expose());
        assert!(value(0).secret().expose().starts_with("stw_sk_0000000000"));
        let public = KeyValue::from_entropy(false, &Zeroizing::new([9; 32]));
        assert!(public.secret().expose().starts_with("stw_pk_") && !public.is_personal());
        let personal = KeyValue::personal(&Zeroizing::new([9; 32]));
        assert!(KeyValue::parse(personal.secret().expose()).unwrap().is_personal());
        assert!(personal.hint().starts_with("stw_pat_..."));
    }

    #[test]
    fn after_regeneration_the_old_value_works_for_the_time_of_grace_only() {
        let (key, now) = (a_key(), instant());
        let old = [key.digest.clone()];
        let digest = |fill: &str| KeyDigest { pepper: 1, hex: fill.repeat(64) };
        let grace = |seconds| key.clone().regenerated(&value(1), digest("a"), None, TimeDelta::seconds(seconds), now);

        let at_once = grace(0);
        assert_eq!((at_once.value_of(&old, now), &at_once.previous), (None, &None));
        let kept = grace(60);
        assert_eq!(kept.value_of(&old, now), Some(PresentedValue::Previous));
        assert_eq!(kept.value_of(&[digest("a")], now), Some(PresentedValue::Current));
        assert_eq!(kept.value_of(&old, now + TimeDelta::seconds(60)), None);

        let again = kept.regenerated(&value(2), digest("b"), None, TimeDelta::seconds(60), now);
        assert_eq!(again.value_of(&old, now), None, "only one value before the present one works");
        assert_eq!(again.value_of(&[digest("a")], now), Some(PresentedValue::Previous));
    }

    #[test]
    fn a_hint_shows_the_prefix_and_four_characters() {
        let value = value(3);
        let text = value.secret().expose();
        assert_eq!(value.hint(), format!("stw_sk_...{}", &text[text.len() - 4..]));
    }
}
