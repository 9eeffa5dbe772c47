//! API keys: credentials of a project's own servers and browsers.

use std::fmt;

use zeroize::Zeroizing;

use crate::policy::{KeyRoles, Permission};

use super::{AccountId, ApiKeyId, InvalidValue, KeyDigest, Label, ProjectId, ProjectInTeam, Revision, Secret, Time};

const PRIVATE: &str = "stw_sk_";
const PUBLIC: &str = "stw_pk_";
pub(super) const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BODY: usize = 43;
const CHECKSUM: usize = 6;

/// The value of an API key: `stw_sk_` (private) or `stw_pk_` (public), 43 base62 characters that carry 256 random bits,
/// and 6 of CRC32 over what precedes. Secret scanners find it, and a typo is refused without a query.
#[derive(Debug, Clone)]
pub struct KeyValue(Secret);

impl KeyValue {
    /// Spells 256 random bits as a key value.
    pub fn from_entropy(is_private: bool, entropy: &Zeroizing<[u8; 32]>) -> Self {
        let prefix = if is_private { PRIVATE } else { PUBLIC };
        let mut text = format!("{prefix}{}", base62(entropy.clone().as_mut_slice(), BODY));
        text.push_str(&checksum(&text));
        Self(Secret::new(text))
    }

    /// Whether a bearer credential claims to be an API key rather than a token.
    pub fn is_meant(credential: &str) -> bool {
        credential.starts_with(PRIVATE) || credential.starts_with(PUBLIC)
    }

    /// Checks form and checksum.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let sum_at = PRIVATE.len() + BODY;
        let fits = Self::is_meant(text)
            && text.len() == sum_at + CHECKSUM
            && text.bytes().skip(PRIVATE.len()).all(|b| ALPHABET.contains(&b));
        match text.split_at_checked(sum_at) {
            Some((stem, sum)) if fits && checksum(stem) == sum => Ok(Self(Secret::new(text.to_owned()))),
            _ => Err(InvalidValue("is no API key: a character is missing or mistyped")),
        }
    }

    /// The secret text.
    pub fn secret(&self) -> &Secret {
        &self.0
    }

    /// The prefix and the last 4 characters: enough for people to tell keys apart.
    pub fn hint(&self) -> String {
        let text = self.0.expose();
        let (prefix, body) = text.split_at_checked(PRIVATE.len()).unwrap_or((text, ""));
        let tail = body.len().checked_sub(4).and_then(|at| body.get(at..)).unwrap_or_default();
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
    /// Who made it.
    pub created_by: AccountId,
    /// When it was made.
    pub created_at: Time,
    /// Until when it is good. `None`: for ever.
    pub expires_at: Option<Time>,
    /// For compare-and-set.
    pub revision: Revision,
}

impl ApiKey {
    /// Whether the key is past its time.
    pub fn is_expired(&self, now: Time) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// The same key with a new value; the old one stops with the commit.
    pub fn regenerated(self, value: &KeyValue, digest: KeyDigest) -> Self {
        Self { digest, hint: value.hint(), ..self }
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
    /// Its project.
    pub project: ProjectInTeam,
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(public.secret().expose().starts_with("stw_pk_"));
    }

    #[test]
    fn a_hint_shows_the_prefix_and_four_characters() {
        let value = value(3);
        let text = value.secret().expose();
        assert_eq!(value.hint(), format!("stw_sk_...{}", &text[text.len() - 4..]));
    }
}
