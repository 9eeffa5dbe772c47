//! Passwords and their hashes.

use crate::kernel::text::characters::nfkc;
use crate::kernel::{InvalidValue, Secret, debug_only};

/// A password in the form in which it is hashed: normalized (NFKC, NIST SP 800-63B), so that it is the same on all keyboards. One
/// that may be set has 10 to 256 characters. Before it is set, [`Password::check_strength`] estimates how hard it is to guess.
#[derive(Debug, Clone)]
pub struct Password(Secret);

impl Password {
    /// The numbers of characters that a new password may have.
    pub const LENGTH: std::ops::RangeInclusive<usize> = 10..=256;

    /// Normalizes and validates a new password.
    pub fn parse(text: Secret) -> Result<Self, InvalidValue> {
        let password = Self::entered(&text);
        let length = password.0.expose().chars().count();
        if Self::LENGTH.contains(&length) { Ok(password) } else { Err(InvalidValue("must be 10 to 256 characters")) }
    }

    /// Normalizes what a person entered to sign in: any text, because the rules for new passwords have changed.
    pub(crate) fn entered(text: &Secret) -> Self {
        Self(Secret::new(nfkc(text.expose()).into_owned()))
    }

    /// Returns the secret text, for hashing.
    pub fn secret(&self) -> &Secret {
        &self.0
    }
}

/// The hash of a password: argon2id in PHC string format.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Wraps a PHC string.
    pub fn new(phc: String) -> Self {
        Self(phc)
    }

    /// Returns the PHC string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

debug_only!(PasswordHash);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_passwords_are_rejected() {
        let parse = |text: &str| Password::parse(Secret::new(text.to_owned()));
        for valid in ["0123456789", "correct horse battery", &"x1".repeat(128)] {
            assert!(parse(valid).is_ok(), "{valid}");
        }
        for invalid in ["short", "012345678", &"x1".repeat(129)] {
            assert!(parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn a_password_is_normalized_before_its_length_is_checked() {
        let parse = |text: &str| Password::parse(Secret::new(text.to_owned()));
        for text in ["cr\u{e8}me br\u{fb}l\u{e9}e", "cre\u{300}me bru\u{302}le\u{301}e", "ｃｒèｍｅ\u{3000}ｂｒûｌéｅ"]
        {
            assert_eq!(parse(text).unwrap().secret().expose(), "cr\u{e8}me br\u{fb}l\u{e9}e", "{text}");
        }
        assert!(parse(&"e\u{301}".repeat(9)).is_err(), "Nine characters.");
        assert!(parse(&"e\u{301}".repeat(256)).is_ok(), "256 characters.");
    }
}
