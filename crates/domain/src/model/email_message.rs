//! Letters: what the service writes to people.

use super::{Email, InviteId, Secret, Slug, Time};

/// What a link in an email is for.
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

/// What an email is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmailKind {
    /// A link that works once, for an hour.
    Link(LinkPurpose),
    /// An invite to a team.
    Invite {
        /// The invite.
        id: InviteId,
        /// When it was made, or last renewed: each time has an email of its own.
        at: Time,
        /// The team. Its name stays out of emails: whoever makes a team could write to strangers in our name.
        team: Slug,
        /// Until when it can be taken.
        expires_at: Time,
    },
}

impl EmailKind {
    /// The name in the log.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Link(purpose) => purpose.as_str(),
            Self::Invite { .. } => "invite",
        }
    }
}

/// A email with a link.
#[derive(Debug, Clone)]
pub struct EmailMessage {
    /// Who gets it.
    pub to: Email,
    /// What it is about.
    pub kind: EmailKind,
    /// The absolute address, which may carry a secret.
    pub link: Secret,
}
