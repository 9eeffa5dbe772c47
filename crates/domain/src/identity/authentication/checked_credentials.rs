//! Cache of checked credentials, so that most requests need no query for their caller.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::TimeDelta;
use lru::LruCache;

use crate::identity::KeyThumbprint;
use crate::kernel::policy::{AccountStanding, LastSignIn};
use crate::kernel::{AccessBasis, Caller, Identity, KeyDigest, Request, Time, TokenVault};

/// Limits of the cache: number of entries, and how long an entry is valid. The last use of a credential is recorded
/// with this precision.
const MAX_CACHED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9_999);
const CACHE_TTL: TimeDelta = TimeDelta::seconds(60);

/// The result of a full check of a credential.
#[derive(Clone)]
pub(super) struct CheckedCredential {
    pub identity: Identity,
    pub basis: AccessBasis,
    /// Digests of the key's value; empty for access tokens.
    pub digests: Arc<[KeyDigest]>,
    pub checked_at: Time,
    /// The key to which the credential is bound.
    pub bound_to: Option<KeyThumbprint>,
    /// The sign-in that the credential was issued for; `None` for a credential that was created for programs.
    pub sign_in: Option<LastSignIn>,
    /// What is known of the account of a person; `None` for a credential of a program.
    pub standing: Option<AccountStanding>,
}

impl CheckedCredential {
    /// Returns the caller of a request with the credential.
    pub fn caller(self, request: Request, is_cached: bool, now: Time) -> Caller {
        let must_confirm = self.sign_in.is_some_and(|sign_in| sign_in.must_confirm(now));
        let missing_factor = self.standing.and_then(|standing| standing.missing_factor);
        Caller { identity: self.identity, request, basis: self.basis, is_cached, must_confirm, missing_factor }
    }
}

/// The most recently used credentials, keyed by SHA-256 so that no credential is kept in memory.
#[derive(Clone)]
pub(super) struct CheckedCredentials {
    entries: Arc<Mutex<LruCache<String, CheckedCredential>>>,
    vault: Arc<dyn TokenVault>,
}

impl CheckedCredentials {
    pub fn new(vault: Arc<dyn TokenVault>) -> Self {
        Self { entries: Arc::new(Mutex::new(LruCache::new(MAX_CACHED))), vault }
    }

    /// Returns the last check of a credential if it was recent. The credential may have expired since.
    pub fn get(&self, credential: &str, now: Time) -> Option<CheckedCredential> {
        let digest = self.vault.sha256(credential);
        let checked = self.lock().get(&digest).cloned()?;
        (now - checked.checked_at < CACHE_TTL).then_some(checked)
    }

    /// Caches a check, reduced by [`Identity::for_cache`]. A check without a basis is not cached, because no statement
    /// could verify that it still holds.
    pub fn put(&self, credential: &str, checked: &CheckedCredential) {
        if checked.basis != AccessBasis::default() {
            let digest = self.vault.sha256(credential);
            let reduced = CheckedCredential { identity: checked.identity.for_cache(), ..checked.clone() };
            self.lock().put(digest, reduced);
        }
    }

    pub fn remove(&self, credential: &str) {
        let digest = self.vault.sha256(credential);
        self.lock().pop(&digest);
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<String, CheckedCredential>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
