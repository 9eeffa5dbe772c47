//! Letters: what the service writes to people.

use super::{Email, Secret};

/// What a link in a letter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// Shows that an email address is its account holder's.
    VerifyEmail,
    /// Lets an account holder choose a new password.
    ResetPassword,
}

impl LinkPurpose {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::VerifyEmail, Self::ResetPassword];

    /// The name at rest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::VerifyEmail => "verify_email",
            Self::ResetPassword => "reset_password",
        }
    }

    /// Reads a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.as_str() == text)
    }
}

/// A letter with a link that works once, for an hour.
#[derive(Debug, Clone)]
pub struct Letter {
    /// Who gets it.
    pub to: Email,
    /// What its link is for.
    pub purpose: LinkPurpose,
    /// The absolute address, which carries a secret.
    pub link: Secret,
}
