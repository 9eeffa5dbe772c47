//! Whether an operation requires that a person entered the password recently.

/// Whether an operation requires that a signed-in person entered the password recently. Personal access tokens, API keys
/// and tokens that the operator issued are created deliberately for programs, so they are never asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation {
    /// It does not.
    Never,
    /// It does if the change widens authority: see
    /// [`AuthorityChange::widens`](super::AuthorityChange::widens).
    IfWidening,
    /// It always does.
    Always,
}

impl Confirmation {
    /// Returns the name used in the OpenAPI document; `None` if it does not occur there.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Never => None,
            Self::IfWidening => Some("if-widening"),
            Self::Always => Some("always"),
        }
    }
}
