//! API keys: credentials for the servers and browser clients of a project.

use std::sync::Arc;

use chrono::TimeDelta;
use zeroize::Zeroizing;

use crate::administration::ProjectInTeam;
use crate::kernel::policy::KeyRoles;
use crate::kernel::{
    AccountId, ApiKeyId, InvalidValue, KeyDigest, Label, PresentedValue, ProjectId, ReplacedValue, ReplacedValues,
    Revision, Secret, Time, audited, debug_only,
};

const PRIVATE: &str = "stw_sk_";
const PUBLIC: &str = "stw_pk_";
const PERSONAL: &str = "stw_pat_";
const PREFIXES: [&str; 3] = [PRIVATE, PUBLIC, PERSONAL];
pub(crate) const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BODY: usize = 43;
const CHECKSUM: usize = 6;

/// The value of an API key, `stw_sk_` (private) or `stw_pk_` (public), or of a personal access token, `stw_pat_`: the
/// prefix, 43 base62 characters that encode 256 random bits, and 6 characters that encode the CRC32 of the preceding
/// text. Secret scanners can detect it, and a typo is rejected without a query.
#[derive(Debug, Clone)]
pub struct KeyValue(Secret);

impl KeyValue {
    /// Encodes 256 random bits as the value of an API key.
    pub fn from_entropy(is_private: bool, entropy: &Zeroizing<[u8; 32]>) -> Self {
        Self::encode(if is_private { PRIVATE } else { PUBLIC }, entropy)
    }

    /// Encodes 256 random bits as the value of a personal access token.
    pub fn personal(entropy: &Zeroizing<[u8; 32]>) -> Self {
        Self::encode(PERSONAL, entropy)
    }

    fn encode(prefix: &str, entropy: &Zeroizing<[u8; 32]>) -> Self {
        let mut text = format!("{prefix}{}", base62(entropy.clone().as_mut_slice(), BODY));
        text.push_str(&checksum(&text));
        Self(Secret::new(text))
    }

    /// Returns whether a bearer credential has the prefix of such a value and is therefore not a signed token.
    pub fn has_key_prefix(credential: &str) -> bool {
        PREFIXES.iter().any(|prefix| credential.starts_with(prefix))
    }

    /// Returns whether this is the value of a personal access token.
    pub fn is_personal(&self) -> bool {
        self.0.expose().starts_with(PERSONAL)
    }

    /// Parses a value and verifies its format and checksum.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue = InvalidValue("is not a valid API key: a character is missing or mistyped");
        let prefix = PREFIXES.iter().find(|prefix| text.starts_with(**prefix)).ok_or(ERROR)?;
        let sum_at = prefix.len() + BODY;
        let is_well_formed =
            text.len() == sum_at + CHECKSUM && text.bytes().skip(prefix.len()).all(|b| ALPHABET.contains(&b));
        match text.split_at_checked(sum_at) {
            Some((stem, sum)) if is_well_formed && checksum(stem) == sum => Ok(Self(Secret::new(text.to_owned()))),
            _ => Err(ERROR),
        }
    }

    /// Returns the secret text.
    pub fn secret(&self) -> &Secret {
        &self.0
    }

    /// Returns the prefix and the last 4 characters, so that people can distinguish keys.
    pub fn hint(&self) -> String {
        let text = self.0.expose();
        let prefix = PREFIXES.iter().find(|prefix| text.starts_with(**prefix)).copied().unwrap_or_default();
        self.0.hint(prefix)
    }
}

fn checksum(stem: &str) -> String {
    base62(&mut crc32fast::hash(stem.as_bytes()).to_be_bytes(), CHECKSUM)
}

/// Encodes a big-endian number in base62, padded to `width`. Overwrites `number`.
pub(crate) fn base62(number: &mut [u8], width: usize) -> String {
    let mut digits: Vec<char> = (0..width)
        .map(|_| {
            let mut remainder = 0_u16;
            for byte in number.iter_mut() {
                let value = (remainder << 8) | u16::from(*byte);
                *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
                remainder = value % 62;
            }
            char::from(ALPHABET.get(usize::from(remainder)).copied().unwrap_or(b'0'))
        })
        .collect();
    digits.reverse();
    digits.into_iter().collect()
}

/// An API key as it is stored: without its value.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Unique ID of the key. It does not change when the value is regenerated.
    pub id: ApiKeyId,
    /// The project that the key gives access to.
    pub project_id: ProjectId,
    /// The display name of the key.
    pub label: Label,
    /// The roles of the key, which determine its permissions.
    pub roles: KeyRoles,
    /// Whether the key is private. Private keys stay on servers. Public keys may appear in browsers, where
    /// everyone can see them: they read the project and its schema, and nothing else.
    pub is_private: bool,
    /// The digest of the current value.
    pub digest: KeyDigest,
    /// The prefix and last 4 characters of the current value.
    pub hint: String,
    /// The digests of the values before it.
    pub replaced: ReplacedValues<KeyDigest>,
    /// The account that created the key.
    pub created_by: AccountId,
    /// The account that last regenerated the value; `None` if nobody did, or only the key itself did.
    pub regenerated_by: Option<AccountId>,
    /// When the key was created.
    pub created_at: Time,
    /// When the key expires; `None` if it never expires.
    pub expires_at: Option<Time>,
    /// When the current value was last used, with a precision of one minute.
    pub last_used: Option<Time>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(ApiKey as ApiKey of |key| (None, Some(key.project_id)), |key| {
    "label": key.label.as_str(), "roles": key.roles.to_string(), "is_private": key.is_private,
    "hint": key.hint, "expires_at": key.expires_at.map(|at| at.to_rfc3339()),
});

impl ApiKey {
    /// Returns whether the key has expired.
    pub fn is_expired(&self, now: Time) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// The longest grace period, in seconds (docs/contract.md#api-keys).
    pub const MAX_GRACE_SECONDS: u32 = 24 * 60 * 60;

    /// Returns which value of the key matches one of the digests, whether or not it still works.
    pub fn matching(&self, digests: &[KeyDigest]) -> Option<PresentedValue> {
        if digests.contains(&self.digest) {
            return Some(PresentedValue::Current);
        }
        self.replaced.find(|digest| digests.contains(digest))
    }

    /// Returns which value of the key matches one of the digests and works at `now`.
    pub fn value_of(&self, digests: &[KeyDigest], now: Time) -> Option<PresentedValue> {
        let works = |which: &PresentedValue| *which == PresentedValue::Current || self.replaced.works(*which, now);
        self.matching(digests).filter(works)
    }

    /// Returns the digest of a value, as stored.
    pub fn digest_of(&self, which: PresentedValue) -> &KeyDigest {
        self.replaced.get(which).map_or(&self.digest, |replaced| &replaced.stored)
    }

    /// Returns when a value was last used, as stored.
    pub fn last_used_of(&self, which: PresentedValue) -> Option<Time> {
        self.replaced.get(which).map_or(self.last_used, |replaced| replaced.last_used)
    }

    /// Returns when the key was last used, with any of its values.
    pub fn last_use(&self) -> Option<Time> {
        self.last_used.max(self.replaced.last_used())
    }

    /// Returns the key as of `now`: without values that no longer work.
    pub fn as_of(self, now: Time) -> Self {
        Self { replaced: self.replaced.as_of(now), ..self }
    }

    /// Returns the key with a new value. The old value works for the grace period, and those before it as long as they were
    /// to; if `grace` is zero, all of them stop working with the commit.
    pub fn regenerated(
        self,
        value: &KeyValue,
        digest: KeyDigest,
        by: Option<AccountId>,
        grace: TimeDelta,
        now: Time,
    ) -> Self {
        let old = ReplacedValue { stored: self.digest, expires_at: now + grace, last_used: self.last_used };
        Self {
            digest,
            hint: value.hint(),
            replaced: self.replaced.after_rotation(old, now),
            // An account that saw an earlier value may still know it.
            regenerated_by: by.or(self.regenerated_by),
            last_used: None,
            ..self
        }
    }
}

debug_only!(ApiKey: id, hint);

/// A key with its project. Authentication loads both in one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyBearer {
    /// The key.
    pub key: ApiKey,
    /// Which value was presented.
    pub presented: PresentedValue,
    /// The project of the key.
    pub project: Arc<ProjectInTeam>,
}

impl KeyBearer {
    /// Returns whether the bearer may regenerate its own key. A public value may be known to everyone, and a previous
    /// value was replaced for a reason.
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
    fn a_value_can_be_parsed_and_a_typo_is_rejected() {
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
        for invalid in ["", "stw_sk_", "stw_sk_é", &"stw_sk_0".repeat(9), "eyJhbGciOi"] {
            assert!(KeyValue::parse(invalid).is_err(), "{invalid}");
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
    fn after_regeneration_the_old_value_works_only_for_the_grace_period() {
        let (key, now) = (a_key(), instant());
        let old = [key.digest.clone()];
        let digest = |fill: &str| KeyDigest { pepper: 1, hex: fill.repeat(64) };
        let grace = |seconds| key.clone().regenerated(&value(1), digest("a"), None, TimeDelta::seconds(seconds), now);

        let without_grace = grace(0);
        assert_eq!((without_grace.value_of(&old, now), without_grace.matching(&old)), (None, None));
        let with_grace = grace(60);
        assert_eq!(with_grace.value_of(&old, now), Some(PresentedValue::Previous));
        assert_eq!(with_grace.value_of(&[digest("a")], now), Some(PresentedValue::Current));
        assert_eq!(with_grace.value_of(&old, now + TimeDelta::seconds(60)), None);

        let again =
            |seconds| with_grace.clone().regenerated(&value(2), digest("b"), None, TimeDelta::seconds(seconds), now);
        assert_eq!(again(30).value_of(&old, now + TimeDelta::seconds(59)), Some(PresentedValue::Earlier));
        assert_eq!(again(30).value_of(&[digest("a")], now), Some(PresentedValue::Previous));
        assert_eq!(again(30).digest_of(PresentedValue::Earlier), &key.digest);
        let ended = again(0);
        assert_eq!((ended.matching(&old), ended.matching(&[digest("a")])), (None, None), "A leak is stopped.");
    }

    #[test]
    fn the_last_use_of_a_key_is_that_of_all_its_values() {
        let (now, grace) = (instant(), TimeDelta::seconds(60));
        let digest = |fill: &str| KeyDigest { pepper: 1, hex: fill.repeat(64) };
        let key = ApiKey { last_used: Some(now), ..a_key() };
        for grace in [grace, TimeDelta::zero()] {
            let rotated = key.clone().regenerated(&value(1), digest("a"), None, grace, now);
            assert_eq!((rotated.last_used, rotated.last_use()), (None, Some(now)));
            let later = now + TimeDelta::days(1);
            assert_eq!(ApiKey { last_used: Some(later), ..rotated }.as_of(later).last_use(), Some(later));
        }
        assert_eq!(a_key().last_use(), None);
    }

    #[test]
    fn a_hint_shows_the_prefix_and_four_characters() {
        let value = value(3);
        let text = value.secret().expose();
        assert_eq!(value.hint(), format!("stw_sk_...{}", &text[text.len() - 4..]));
    }
}
