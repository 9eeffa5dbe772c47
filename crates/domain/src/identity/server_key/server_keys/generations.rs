//! The generations of signing keys: each key replaces the one before it.

use crate::identity::{ServerKey, SignedToken};

/// Returns the newest signing key for these tokens.
pub(super) fn newest(keys: &[ServerKey], token: SignedToken) -> Option<&ServerKey> {
    keys.iter().filter(|key| key.signs(token)).max_by_key(|key| key.generation)
}

/// The generation of the next signing key for these tokens. It follows those of all algorithms, including unknown ones.
pub(super) fn next_generation(keys: &[ServerKey], token: SignedToken) -> i64 {
    let signing = keys.iter().filter(|key| key.purpose.signed_token() == Some(token));
    signing.map(|key| key.generation).max().unwrap_or_default().saturating_add(1)
}
