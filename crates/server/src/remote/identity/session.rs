//! `steward session`.

use crate::remote::plain::noun;

noun! {
    SessionCommand {}

    /// Get the sign-in that issued the access token
    "session get", example(""), example("--json --fields session_id") {}
}
