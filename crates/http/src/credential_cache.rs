//! Cache of recently valid credentials and their tenants, so that rate limits and fair scheduling know the caller
//! before any database query. It is never used for access decisions: every request is authenticated again.

use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::HttpMessage;
use actix_web::http::header::AUTHORIZATION;
use lru::LruCache;
use steward_domain::model::{Identity, Request};
use steward_domain::work::Tenant;

/// Maximum number of cached credentials. Beyond it, the least recently used one is evicted.
const MAX_CACHED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(49_999);

/// The holder and tenant of a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CachedCredential {
    /// [`Identity::holder`].
    pub holder: Arc<str>,
    /// [`Identity::tenant`].
    pub tenant: Tenant,
}

/// The credentials that this process authenticated recently. The cache key is a keyed hash of the Authorization header,
/// so no credential stays in memory and nobody can choose one that collides with another.
pub struct CredentialCache {
    key: RandomState,
    known: Mutex<LruCache<u64, CachedCredential>>,
}

impl Default for CredentialCache {
    fn default() -> Self {
        Self { key: RandomState::new(), known: Mutex::new(LruCache::new(MAX_CACHED)) }
    }
}

/// Result of the lookup for a request. It is stored in the request, so that the rate limit and the scheduler share it.
#[derive(Clone)]
struct CredentialLookup {
    /// `None` if the request has no credential.
    hash: Option<u64>,
    known: Option<CachedCredential>,
}

impl CredentialCache {
    /// Returns the tenant of the request's credential if that is cached, else the tenant of its address.
    pub fn tenant(&self, request: &impl HttpMessage) -> Tenant {
        match self.find(request) {
            Some(known) => known.tenant,
            None => Tenant::at_address(address_of(request)),
        }
    }

    pub(crate) fn find(&self, request: &impl HttpMessage) -> Option<CachedCredential> {
        self.look_up(request).known
    }

    /// Caches the credential of an authenticated request. Returns [`Identity::holder`].
    pub(crate) fn remember(&self, request: &impl HttpMessage, identity: &Identity) -> Arc<str> {
        let CredentialLookup { hash, known } = self.look_up(request);
        let (holder, tenant) = (identity.holder(), identity.tenant());
        if let Some(known) = known.filter(|known| *known.holder == *holder && known.tenant == tenant) {
            return known.holder;
        }
        let known = CachedCredential { holder: holder.into(), tenant };
        if let Some(hash) = hash {
            self.lock().put(hash, known.clone());
            request.extensions_mut().insert(CredentialLookup { hash: Some(hash), known: Some(known.clone()) });
        }
        known.holder
    }

    /// Removes a credential that is no longer valid.
    pub(crate) fn forget(&self, request: &impl HttpMessage) {
        let Some(hash) = self.look_up(request).hash else { return };
        self.lock().pop(&hash);
        request.extensions_mut().insert(CredentialLookup { hash: Some(hash), known: None });
    }

    fn look_up(&self, request: &impl HttpMessage) -> CredentialLookup {
        let looked_up = request.extensions().get::<CredentialLookup>().cloned();
        looked_up.unwrap_or_else(|| {
            let credential = request.headers().get(AUTHORIZATION);
            let hash = credential.map(|credential| self.key.hash_one(credential.as_bytes()));
            let looked_up = CredentialLookup { hash, known: hash.and_then(|hash| self.lock().get(&hash).cloned()) };
            request.extensions_mut().insert(looked_up.clone());
            looked_up
        })
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<u64, CachedCredential>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the client's address. All requests without one, as over a Unix socket, share the unspecified address.
pub(crate) fn address_of(request: &impl HttpMessage) -> IpAddr {
    let address = request.extensions().get::<Request>().and_then(|request| request.address);
    address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

#[cfg(test)]
mod tests {
    use actix_web::HttpRequest;
    use actix_web::test::TestRequest;
    use steward_domain::mocks::{a_bearer, a_key, id_of};

    use super::*;

    fn request(credential: &str) -> HttpRequest {
        let request = TestRequest::get().insert_header((AUTHORIZATION, credential)).to_http_request();
        let address = Some([192, 0, 2, 1].into());
        request.extensions_mut().insert(Request { id: String::new(), address, claim: None });
        request
    }

    #[test]
    fn a_credential_counts_against_its_tenant_while_it_is_valid() {
        let known = CredentialCache::default();
        let first = request("Bearer key");
        let at_address = Tenant::at_address([192, 0, 2, 1].into());
        assert_eq!(known.tenant(&first), at_address);

        let holder = known.remember(&first, &Identity::Key(Arc::new(a_bearer(a_key()))));
        assert!(holder.starts_with("key:"), "{holder}");
        for request in [&first, &request("Bearer key")] {
            assert_eq!(known.tenant(request), Tenant::Team(id_of("acme").into()));
            assert_eq!(known.find(request).unwrap().holder, holder);
        }
        assert_eq!(known.find(&request("Bearer other")), None);

        known.forget(&first);
        assert_eq!(known.tenant(&first), at_address);
        assert_eq!(known.tenant(&request("Bearer key")), at_address);
    }

    #[test]
    fn a_credential_with_a_new_holder_is_cached_again() {
        let known = CredentialCache::default();
        known.remember(&request("Bearer key"), &Identity::Key(Arc::new(a_bearer(a_key()))));
        let holder = known.remember(&request("Bearer key"), &Identity::Account(id_of("ann").into()));
        assert!(holder.starts_with("account:"), "{holder}");
        assert_eq!(known.tenant(&request("Bearer key")), Tenant::Account(id_of("ann").into()));
    }
}
