//! Cache of access tokens with verified signatures. Verifying a signature takes longer than reading an item.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use crate::identity::VerifiedToken;

/// Maximum number of cached tokens.
const MAX_TOKENS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9_999);

/// The most recently used tokens, keyed by SHA-256 so that no token text is kept in memory.
pub(crate) struct VerifiedTokens {
    cache: Mutex<VerifiedWithKeys>,
}

/// Tokens that were verified with one version of the installed keys.
struct VerifiedWithKeys {
    key_version: u64,
    tokens: LruCache<String, VerifiedToken>,
}

impl Default for VerifiedTokens {
    fn default() -> Self {
        Self { cache: Mutex::new(VerifiedWithKeys { key_version: 0, tokens: LruCache::new(MAX_TOKENS) }) }
    }
}

impl VerifiedTokens {
    /// Returns the token with this digest if it was verified with this version of the keys. It may have expired since.
    pub(crate) fn get(&self, key_version: u64, digest: &str) -> Option<VerifiedToken> {
        let mut cache = self.lock();
        if cache.key_version != key_version {
            cache.tokens.clear();
            cache.key_version = key_version;
        }
        cache.tokens.get(digest).cloned()
    }

    /// Caches a token that was verified with this version of the keys, unless the keys have changed since.
    pub(crate) fn put(&self, key_version: u64, digest: String, token: VerifiedToken) {
        let mut cache = self.lock();
        if cache.key_version == key_version {
            cache.tokens.put(digest, token);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VerifiedWithKeys> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_verified_token, id_of};

    #[test]
    fn the_most_recently_used_tokens_are_cached() {
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
    fn tokens_verified_with_earlier_keys_are_dropped() {
        let tokens = VerifiedTokens::default();
        let other = VerifiedToken { signed_by: id_of("other").into(), ..a_verified_token() };
        tokens.put(0, "token".to_owned(), a_verified_token());
        assert_eq!(tokens.get(1, "token"), None);
        // Verified while the keys were being changed.
        tokens.put(0, "token".to_owned(), a_verified_token());
        assert_eq!(tokens.get(1, "token"), None);
        tokens.put(1, "token".to_owned(), other.clone());
        assert_eq!(tokens.get(1, "token"), Some(other));
    }
}
