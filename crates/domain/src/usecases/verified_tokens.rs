//! Access tokens whose signature was verified, remembered: verifying one costs more than reading an item.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use crate::ports::VerifiedToken;

/// How many tokens are remembered.
const MAX_TOKENS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9_999);

/// The tokens that were used last, by their SHA-256: no token stays in memory.
pub(super) struct VerifiedTokens {
    remembered: Mutex<VerifiedWithKeys>,
}

/// What one version of the installed keys verified.
struct VerifiedWithKeys {
    key_version: u64,
    tokens: LruCache<String, VerifiedToken>,
}

impl Default for VerifiedTokens {
    fn default() -> Self {
        Self { remembered: Mutex::new(VerifiedWithKeys { key_version: 0, tokens: LruCache::new(MAX_TOKENS) }) }
    }
}

impl VerifiedTokens {
    /// The token with this digest, if this version of the keys has verified it. It may have expired since.
    pub(super) fn get(&self, key_version: u64, digest: &str) -> Option<VerifiedToken> {
        let mut remembered = self.lock();
        if remembered.key_version != key_version {
            remembered.tokens.clear();
            remembered.key_version = key_version;
        }
        remembered.tokens.get(digest).cloned()
    }

    /// Remembers a token that this version of the keys has verified, unless the keys have changed since.
    pub(super) fn put(&self, key_version: u64, digest: String, token: VerifiedToken) {
        let mut remembered = self.lock();
        if remembered.key_version == key_version {
            remembered.tokens.put(digest, token);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VerifiedWithKeys> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_verified_token, id_of};

    #[test]
    fn the_tokens_that_were_used_last_are_kept() {
        let tokens = VerifiedTokens::default();
        tokens.put(0, "first".to_owned(), a_verified_token());
        tokens.put(0, "second".to_owned(), a_verified_token());
        for number in 2..MAX_TOKENS.get() {
            tokens.put(0, number.to_string(), a_verified_token());
        }
        assert!(tokens.get(0, "first").is_some());
        tokens.put(0, "last".to_owned(), a_verified_token());
        assert!(tokens.get(0, "first").is_some() && tokens.get(0, "last").is_some());
        assert!(tokens.get(0, "second").is_none());
        assert_eq!(tokens.lock().tokens.len(), MAX_TOKENS.get());
    }

    #[test]
    fn what_earlier_keys_verified_is_forgotten() {
        let tokens = VerifiedTokens::default();
        let other = VerifiedToken { signed_by: id_of("other").into(), ..a_verified_token() };
        tokens.put(0, "token".to_owned(), a_verified_token());
        assert_eq!(tokens.get(1, "token"), None);
        // It was verified while the keys were changed.
        tokens.put(0, "token".to_owned(), a_verified_token());
        assert_eq!(tokens.get(1, "token"), None);
        tokens.put(1, "token".to_owned(), other.clone());
        assert_eq!(tokens.get(1, "token"), Some(other));
    }
}
