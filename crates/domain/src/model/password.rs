//! Passwords and their hashes.

use std::fmt;

use super::{InvalidValue, Secret};

/// A password that may be set: 10 to 256 characters. Before it is set, [`Password::check_strength`] estimates how hard it is
/// to guess. Sign-in accepts any text instead.
#[derive(Debug, Clone)]
pub struct Password(Secret);

impl Password {
    /// Validates a new password.
    pub fn parse(text: Secret) -> Result<Self, InvalidValue> {
        let length = text.expose().chars().count();
        if !(10..=256).contains(&length) {
            return Err(InvalidValue("must be 10 to 256 characters"));
        }
        Ok(Self(text))
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

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash")
    }
}

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
}
