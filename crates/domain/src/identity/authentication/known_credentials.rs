//! What this process knows of the credentials that were used recently, found with one digest of each. So most requests
//! verify no signature and need no query for their caller, and their tenant is known before any other work.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use lru::LruCache;

use crate::identity::VerifiedToken;
use crate::kernel::policy::{AccountStanding, LastSignIn};
use crate::kernel::work::Tenant;
use crate::kernel::{AccessBasis, Caller, Identity, KeyDigest, Request, Time, TokenVault, lock};

/// Maximum number of credentials of which everything is known.
const MAX_KNOWN: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9_999);
/// Maximum number of further credentials, which were used before those. Of these, only the holder is known.
const MAX_EARLIER: NonZeroUsize = NonZeroUsize::MIN.saturating_add(39_999);
/// How long a check is valid. The last use of a credential is recorded with this precision.
const CHECK_TTL: TimeDelta = TimeDelta::seconds(60);

/// The SHA-256 of a credential, so that none is kept in memory and nobody can choose one that collides with another.
pub type CredentialDigest = Arc<str>;

/// Who holds a credential. It never decides about access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialHolder {
    /// [`Identity::holder`].
    pub holder: Arc<str>,
    /// [`Identity::tenant`].
    pub tenant: Tenant,
}

impl CredentialHolder {
    fn of(identity: &Identity) -> Self {
        Self { holder: identity.holder().into(), tenant: identity.tenant() }
    }
}

/// What is known of a credential.
#[derive(Clone, Default)]
pub struct KnownCredential {
    /// Who holds it; `None` if it was refused.
    pub holder: Option<CredentialHolder>,
    /// What the access token says, and the version of the keys with which its signature was verified.
    verified: Option<(u64, Arc<VerifiedToken>)>,
    checked: Option<Arc<CheckedCredential>>,
}

impl KnownCredential {
    /// Returns the access token if it was verified with this version of the keys. It may have expired since.
    pub(crate) fn verified(&self, key_version: u64) -> Option<&VerifiedToken> {
        self.verified.as_ref().filter(|(version, _)| *version == key_version).map(|(_, token)| &**token)
    }

    /// Returns the last check if it was recent. The credential may have expired since.
    pub(super) fn checked(&self, now: Time) -> Option<&CheckedCredential> {
        self.checked.as_deref().filter(|checked| now - checked.checked_at < CHECK_TTL)
    }
}

/// The result of a full check of a credential.
#[derive(Clone)]
pub(super) struct CheckedCredential {
    pub identity: Identity,
    pub basis: AccessBasis,
    /// Digests of the key's value; empty for access tokens.
    pub digests: Arc<[KeyDigest]>,
    pub checked_at: Time,
    /// The sign-in that the credential was issued for; `None` for a credential that was created for programs.
    pub sign_in: Option<LastSignIn>,
    /// What is known of the account of a person; `None` for a credential of a program.
    pub standing: Option<AccountStanding>,
}

impl CheckedCredential {
    /// Returns the caller of a request with the credential.
    pub fn caller(&self, request: Request, is_cached: bool, now: Time) -> Caller {
        let must_confirm = self.sign_in.is_some_and(|sign_in| sign_in.must_confirm(now));
        let missing_factor = self.standing.and_then(|standing| standing.missing_factor);
        let identity = self.identity.clone();
        Caller { identity, request, basis: self.basis, is_cached, must_confirm, missing_factor }
    }
}

/// The most recently used credentials that were valid.
pub struct KnownCredentials {
    entries: Mutex<Entries>,
    vault: Arc<dyn TokenVault>,
}

impl KnownCredentials {
    /// Creates it without credentials.
    pub fn new(vault: Arc<dyn TokenVault>) -> Self {
        let entries = Entries { recent: LruCache::new(MAX_KNOWN), earlier: LruCache::new(MAX_EARLIER) };
        Self { entries: Mutex::new(entries), vault }
    }

    /// Returns the digest of a credential.
    pub fn digest(&self, credential: &str) -> CredentialDigest {
        self.vault.sha256(credential).into()
    }

    /// Returns what is known of the credential with this digest.
    pub fn find(&self, digest: &str) -> Option<Arc<KnownCredential>> {
        lock(&self.entries).get(digest)
    }

    /// Remembers the holder of a valid credential.
    pub fn remember(&self, digest: &CredentialDigest, identity: &Identity) {
        let holder = CredentialHolder::of(identity);
        self.update(digest, |known| known.holder = Some(holder));
    }

    /// Forgets everything about a credential that was refused, except that the signature of its token is valid.
    pub fn forget(&self, digest: &CredentialDigest) {
        let mut entries = lock(&self.entries);
        if let Some(known) = entries.remove(digest).filter(|known| known.verified.is_some()) {
            entries.put(digest, KnownCredential { verified: known.verified.clone(), ..KnownCredential::default() });
        }
    }

    /// Remembers an access token that was verified with this version of the keys.
    pub(crate) fn put_verified(&self, digest: &CredentialDigest, key_version: u64, token: VerifiedToken) {
        self.update(digest, |known| known.verified = Some((key_version, Arc::new(token))));
    }

    /// Remembers a check and its holder, reduced by [`Identity::for_cache`]. A check without a basis is not remembered,
    /// because no statement could verify that it still holds.
    pub(super) fn put_checked(&self, digest: &CredentialDigest, checked: &CheckedCredential) {
        let holder = Some(CredentialHolder::of(&checked.identity));
        let reduced = (checked.basis != AccessBasis::default())
            .then(|| Arc::new(CheckedCredential { identity: checked.identity.for_cache(), ..checked.clone() }));
        self.update(digest, |known| (known.holder, known.checked) = (holder, reduced));
    }

    fn update(&self, digest: &CredentialDigest, change: impl FnOnce(&mut KnownCredential)) {
        let mut entries = lock(&self.entries);
        let mut known = entries.get(digest).map(|known| (*known).clone()).unwrap_or_default();
        change(&mut known);
        entries.put(digest, known);
    }
}

/// Credentials by their digests.
struct Entries {
    recent: LruCache<CredentialDigest, Arc<KnownCredential>>,
    earlier: LruCache<CredentialDigest, Arc<KnownCredential>>,
}

impl Entries {
    fn get(&mut self, digest: &str) -> Option<Arc<KnownCredential>> {
        self.recent.get(digest).or_else(|| self.earlier.get(digest)).cloned()
    }

    fn put(&mut self, digest: &CredentialDigest, known: KnownCredential) {
        self.earlier.pop(digest);
        let Some((replaced, known)) = self.recent.push(digest.clone(), Arc::new(known)) else { return };
        if replaced != *digest && known.holder.is_some() {
            let holder = known.holder.clone();
            self.earlier.put(replaced, Arc::new(KnownCredential { holder, ..KnownCredential::default() }));
        }
    }

    fn remove(&mut self, digest: &str) -> Option<Arc<KnownCredential>> {
        self.recent.pop(digest).or_else(|| self.earlier.pop(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::AccessEpoch;
    use crate::mocks::{MockTokenVault, a_bearer, a_key, a_verified_token, id_of, instant};

    fn no_credentials() -> KnownCredentials {
        KnownCredentials::new(Arc::new(MockTokenVault::new()))
    }

    fn a_check() -> CheckedCredential {
        let identity = Identity::Key(Arc::new(a_bearer(a_key())));
        let basis = AccessBasis { account: Some((id_of("ann").into(), AccessEpoch(1))), ..AccessBasis::default() };
        let (digests, checked_at) = (Arc::default(), instant());
        CheckedCredential { identity, basis, digests, checked_at, sign_in: None, standing: None }
    }

    #[test]
    fn everything_is_known_of_the_most_recently_used_credentials_and_of_earlier_ones_the_holder() {
        let (known, check, now) = (no_credentials(), a_check(), instant());
        let put = |name: &str| {
            let digest = name.into();
            known.put_verified(&digest, 0, a_verified_token());
            known.put_checked(&digest, &check);
        };
        let is_checked = |name: &str| known.find(name).map(|known| known.checked(now).is_some());
        ["first", "second"].into_iter().for_each(put);
        for number in 2..MAX_KNOWN.get() {
            put(&number.to_string());
        }
        assert_eq!(is_checked("first"), Some(true));
        put("last");
        assert_eq!(["first", "last", "second"].map(is_checked), [Some(true), Some(true), Some(false)]);
        let second = known.find("second").unwrap();
        assert!(second.verified(0).is_none() && second.holder.is_some());

        for number in 0..MAX_EARLIER.get() {
            known.remember(&format!("cookie {number}").into(), &check.identity);
        }
        put("second");
        let entries = lock(&known.entries);
        assert_eq!((entries.recent.len(), entries.earlier.len()), (MAX_KNOWN.get(), MAX_EARLIER.get()));
    }

    #[test]
    fn of_a_refused_token_only_the_signature_stays_known() {
        let (known, token, key) = (no_credentials(), "token".into(), "key".into());
        known.put_verified(&token, 1, a_verified_token());
        for digest in [&token, &key] {
            known.put_checked(digest, &a_check());
            known.forget(digest);
        }
        assert!(known.find(&key).is_none());
        let refused = known.find(&token).unwrap();
        assert!(refused.holder.is_none() && refused.checked(instant()).is_none());
        assert_eq!(refused.verified(1), Some(&a_verified_token()));
        assert!(refused.verified(2).is_none(), "Other keys are installed.");
    }
}
