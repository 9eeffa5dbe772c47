//! Mail.

use crate::model::Letter;

/// Sends letters.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Mailer: Send + Sync {
    /// Takes charge of a letter. MUST answer at once, whoever it is for: time must not tell which accounts exist. It is
    /// sent in the background, a few times over if need be; what cannot be sent is logged without its link, and lost.
    fn send(&self, letter: Letter);
}
