//! Device authorizations: a device without a browser waits until a person allows its access elsewhere (RFC 8628).

use std::net::IpAddr;

use chrono::TimeDelta;

use crate::identity::{ClientId, ScopeSet};
use crate::kernel::text::typed_code::letters_and_digits;
use crate::kernel::{DeviceAuthorizationId, Revision, Time, TokenDigest, as_text, audited};

/// The letters of a user code: no vowels, so that it forms no words, and only one case (RFC 8628 §6.1).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// The number of letters on each side of the hyphen.
const HALF: usize = 4;

/// The code that a device shows, and that the person enters: eight letters, which are 34 random bits (RFC 8628 §6.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCode(String);

impl UserCode {
    /// Creates a code from random bits.
    pub fn from_entropy(entropy: &[u8; 32]) -> Self {
        // Each letter is chosen by 32 bits, so that the remainder is practically uniform.
        let letter = |bytes: &[u8]| {
            let remainder = bytes.iter().fold(0_usize, |rest, byte| (rest * 256 + usize::from(*byte)) % LETTERS.len());
            LETTERS.get(remainder).copied().map_or('B', char::from)
        };
        Self::grouped(entropy.chunks_exact(entropy.len() / (2 * HALF)).map(letter))
    }

    /// Parses what a person entered. Case, and what separates or surrounds the letters, do not matter.
    pub fn parse(text: &str) -> Option<Self> {
        let code = letters_and_digits(text).to_ascii_uppercase();
        let is_code = code.len() == 2 * HALF && code.bytes().all(|letter| LETTERS.contains(&letter));
        is_code.then(|| Self::grouped(code.chars()))
    }

    /// Restores a stored code.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    fn grouped(letters: impl Iterator<Item = char>) -> Self {
        let mut text: String = letters.collect();
        text.insert(HALF, '-');
        Self(text)
    }
}

as_text!(UserCode);

/// The request of a device, which waits for the decision of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceAuthorization {
    /// Unique ID of the request.
    pub id: DeviceAuthorizationId,
    /// The digest of the device code, which the device exchanges for tokens.
    pub digest: TokenDigest,
    /// The code that the person enters.
    pub user_code: UserCode,
    /// The client of the device.
    pub client: ClientId,
    /// The requested scopes.
    pub scopes: ScopeSet,
    /// The maximum time since the person signed in, in seconds.
    pub max_age: Option<i64>,
    /// The address that the device sent the request from, which the person is shown (RFC 8628 §5.4).
    pub requested_from: Option<IpAddr>,
    /// When the request was received.
    pub created_at: Time,
    /// When the request expires.
    pub expires_at: Time,
    /// When the person denied it. An allowed request is removed; its authorization code has the digest of the device code.
    pub denied_at: Option<Time>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl DeviceAuthorization {
    /// How long a person has to enter the code (RFC 8628 §3.2).
    pub const TTL: TimeDelta = TimeDelta::minutes(10);
    /// How long a device waits between two requests for its tokens (RFC 8628 §3.2).
    pub const INTERVAL: TimeDelta = TimeDelta::seconds(5);

    /// Returns whether a person can still decide.
    pub fn is_waiting(&self, now: Time) -> bool {
        self.denied_at.is_none() && now < self.expires_at
    }
}

audited!(DeviceAuthorization as DeviceAuthorization of nobody);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_however_people_write_it() {
        let code = UserCode::from_entropy(&[7; 32]);
        assert_eq!(UserCode::parse(code.as_str()), Some(code.clone()));
        let text = "WDJB-MJHT";
        for written in [
            "wdjbmjht",
            " WDJB MJHT ",
            "wDjB\u{2011}mJhT",
            "W-D-J-B-M-J-H-T",
            "WDJB_MJHT",
            "ＷＤＪＢ－ｍｊｈｔ",
            "WDJBーMJHT",
            "\u{feff}WDJB\u{200b}-\u{ad}MJHT\u{200e}",
        ] {
            assert_eq!(UserCode::parse(written).unwrap().as_str(), text, "{written}");
        }
        let long = "WDJB-MJHT".to_owned() + &" ".repeat(200) + "X";
        for invalid in ["", "WDJB-MJH", "WDJB-MJHTX", "ADJB-MJHT", "WDJB-MJH7", "WDJB-MJHß", "ШDJB-MJHT"] {
            assert_eq!(UserCode::parse(invalid), None, "{invalid}");
        }
        assert!(UserCode::parse(&long).is_some_and(|code| code.as_str() == text), "Only the start is read.");
    }

    #[test]
    fn every_letter_occurs_in_codes() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..=255_u8 {
            let mut entropy = [0; 32];
            for (index, byte) in entropy.iter_mut().enumerate() {
                *byte = seed.wrapping_mul(31).wrapping_add(u8::try_from(index).unwrap().wrapping_mul(7));
            }
            seen.extend(UserCode::from_entropy(&entropy).as_str().bytes());
        }
        assert_eq!(seen.len(), LETTERS.len() + 1, "The letters and the hyphen.");
    }
}
