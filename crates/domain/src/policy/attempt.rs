//! What may be tried only so often: how often, and by whom it is counted.

use chrono::TimeDelta;

/// Something that is worth guessing at, or costs us much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attempt {
    /// Signing in, counted by where it comes from.
    SignInFrom,
    /// Signing in, counted by the account that is named, whether it exists or not, and where it comes from: so that nobody
    /// shuts the owner out from elsewhere.
    SignInTo,
    /// Signing in, counted by the account that is named, wherever it comes from.
    SignInToAtAll,
    /// Making an account, counted by where it comes from.
    SignUpFrom,
    /// Presenting codes and refresh tokens that are not good, counted by where they come from.
    TokenFrom,
    /// Beginning to sign in at a client, counted by where it comes from.
    AuthorizeFrom,
    /// Asking for a letter with a link, or presenting such a link, counted by where it comes from.
    LetterFrom,
    /// Asking for a letter with a link, counted by the address that it would go to.
    LetterTo,
    /// Inviting by letter, counted by the account that invites.
    InviteBy,
    /// Inviting by letter, counted by the address that it would go to.
    InviteTo,
    /// Trying what one may not do, counted by who tries: beyond it is refused all the same, and no longer recorded.
    RefusalOf,
}

impl Attempt {
    /// How many may come at once, and in what time one more is allowed.
    pub const fn limit(self) -> (u16, TimeDelta) {
        match self {
            Self::SignInFrom => (30, TimeDelta::seconds(2)),
            Self::SignInTo => (10, TimeDelta::seconds(30)),
            Self::SignInToAtAll => (100, TimeDelta::seconds(5)),
            Self::SignUpFrom => (20, TimeDelta::seconds(30)),
            Self::TokenFrom => (200, TimeDelta::milliseconds(500)),
            Self::AuthorizeFrom => (120, TimeDelta::milliseconds(500)),
            Self::LetterFrom => (20, TimeDelta::seconds(15)),
            Self::LetterTo | Self::InviteTo => (3, TimeDelta::minutes(10)),
            Self::InviteBy => (50, TimeDelta::seconds(30)),
            Self::RefusalOf => (60, TimeDelta::seconds(10)),
        }
    }
}
