//! Logins: an email address or a username.

use crate::identity::{Email, Username};

/// The identifier that a user signs in with.
#[derive(Debug, Clone)]
pub enum Login {
    /// An email address.
    Email(Email),
    /// A username.
    Username(Username),
    /// Neither a valid email address nor a valid username, so no account matches.
    Invalid,
}

impl Login {
    /// Parses text as an email address if it contains `@`, otherwise as a username.
    pub fn parse(text: &str) -> Self {
        let email = || Email::parse(text).map(Self::Email);
        let username = || Username::parse(text).map(Self::Username);
        if text.contains('@') { email() } else { username() }.unwrap_or(Self::Invalid)
    }

    /// Returns the case-folded form that sign-in attempts are counted by.
    pub fn folded(&self) -> String {
        match self {
            Self::Email(email) => email.folded(),
            Self::Username(username) => username.folded(),
            Self::Invalid => String::new(),
        }
    }
}
