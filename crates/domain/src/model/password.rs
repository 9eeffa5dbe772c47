//! Passwords as people choose them, and what is kept of them.

use std::fmt;

use super::{InvalidValue, Secret};

/// The commonest passwords that are long enough to be chosen here, one a line.
const COMMON: &str = include_str!("common_passwords.txt");

/// A password that may be set: 10 to 256 characters and not among the commonest. Sign-in takes any text instead.
#[derive(Debug, Clone)]
pub struct Password(Secret);

impl Password {
    /// Checks a password that somebody wants to set.
    pub fn parse(text: Secret) -> Result<Self, InvalidValue> {
        let length = text.expose().chars().count();
        if !(10..=256).contains(&length) {
            return Err(InvalidValue("must be 10 to 256 characters"));
        }
        let folded = text.expose().to_lowercase();
        if COMMON.lines().any(|common| common == folded) || all_the_same(&folded) {
            return Err(InvalidValue("is among the most common passwords; choose another"));
        }
        Ok(Self(text))
    }

    /// The secret text, for hashing.
    pub fn secret(&self) -> &Secret {
        &self.0
    }
}

fn all_the_same(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next();
    characters.all(|c| Some(c) == first)
}

/// What is kept of a password: an argon2id hash in PHC string form.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Wraps a PHC string.
    pub fn new(phc: String) -> Self {
        Self(phc)
    }

    /// The PHC string.
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
    fn short_long_and_common_passwords_are_refused() {
        let parse = |text: &str| Password::parse(Secret::new(text.to_owned()));
        assert!(parse("correct horse battery").is_ok());
        for bad in ["short", &"x1".repeat(129), "password123", "Password123", "1234567890", "aaaaaaaaaaaa"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
