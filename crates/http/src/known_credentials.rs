//! Credentials that were valid recently, and whom they count against: so that rate limits and fair shares know a caller
//! before the database is asked. Never trusted for access: every request authenticates anew.

use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::HttpMessage;
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use lru::LruCache;
use steward_domain::model::{Identity, Request};
use steward_domain::work::Tenant;

/// How many credentials are remembered; beyond that the one that was used longest ago is forgotten.
const MAX_REMEMBERED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(49_999);

/// Whom a credential counts against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownCredential {
    /// [`Identity::holder`].
    pub holder: Arc<str>,
    /// [`Identity::tenant`].
    pub tenant: Tenant,
}

/// The credentials that this process has authenticated. Kept by a keyed hash of the Authorization header: no credential
/// stays in memory, and nobody can choose one that collides with another.
pub struct KnownCredentials {
    key: RandomState,
    known: Mutex<LruCache<u64, KnownCredential>>,
}

impl Default for KnownCredentials {
    fn default() -> Self {
        Self { key: RandomState::new(), known: Mutex::new(LruCache::new(MAX_REMEMBERED)) }
    }
}

impl KnownCredentials {
    /// Whom the request counts against: the tenant of its credential if that is known, else its address.
    pub fn tenant(&self, request: &impl HttpMessage) -> Tenant {
        match self.find(request.headers()) {
            Some(known) => known.tenant,
            None => Tenant::at_address(address_of(request)),
        }
    }

    pub(crate) fn find(&self, headers: &HeaderMap) -> Option<KnownCredential> {
        let hash = self.hash(headers)?;
        self.lock().get(&hash).cloned()
    }

    /// Remembers the credential of a request that was authenticated.
    pub(crate) fn remember(&self, headers: &HeaderMap, identity: &Identity) {
        let Some(hash) = self.hash(headers) else { return };
        let (holder, tenant) = (identity.holder().into(), identity.tenant());
        self.lock().put(hash, KnownCredential { holder, tenant });
    }

    /// Forgets the credential of a request that is no longer valid.
    pub(crate) fn forget(&self, headers: &HeaderMap) {
        let Some(hash) = self.hash(headers) else { return };
        self.lock().pop(&hash);
    }

    fn hash(&self, headers: &HeaderMap) -> Option<u64> {
        Some(self.key.hash_one(headers.get(AUTHORIZATION)?.as_bytes()))
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<u64, KnownCredential>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address that a request came from. All requests without one, as over a Unix socket, share one.
pub(crate) fn address_of(request: &impl HttpMessage) -> IpAddr {
    let address = request.extensions().get::<Request>().and_then(|request| request.address);
    address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use steward_domain::mocks::{a_bearer, a_key, id_of};

    use super::*;

    #[test]
    fn a_credential_counts_against_its_tenant_once_it_was_valid_and_until_it_is_not() {
        let known = KnownCredentials::default();
        let request = TestRequest::get().insert_header((AUTHORIZATION, "Bearer key")).to_http_request();
        let address = Some([192, 0, 2, 1].into());
        request.extensions_mut().insert(Request { id: String::new(), address, claim: None });
        let at_address = Tenant::at_address([192, 0, 2, 1].into());
        assert_eq!(known.tenant(&request), at_address);

        known.remember(request.headers(), &Identity::Key(Box::new(a_bearer(a_key()))));
        assert_eq!(known.tenant(&request), Tenant::Team(id_of("acme").into()));
        assert!(known.find(request.headers()).unwrap().holder.starts_with("key:"));
        let other = TestRequest::get().insert_header((AUTHORIZATION, "Bearer other")).to_http_request();
        assert_eq!(known.find(other.headers()), None);

        known.forget(request.headers());
        assert_eq!(known.tenant(&request), at_address);
    }
}
