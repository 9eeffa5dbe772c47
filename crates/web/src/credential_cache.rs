//! Cache of recently valid credentials and their tenants, so that rate limits and fair scheduling know the caller
//! before any database query. It is never used for access decisions: every request is authenticated again.

use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpMessage, HttpRequest};
use lru::LruCache;
use steward_domain::kernel::work::Tenant;
use steward_domain::kernel::{AccountId, Identity, Request};

use crate::route::{CredentialSource, route_of};

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
/// or in the console of the cookie, so no credential stays in memory and nobody can choose one that collides with
/// another. Only a credential that was valid is cached, so that invented ones count by address.
pub struct CredentialCache {
    key: RandomState,
    /// Name of the cookie that identifies a browser session.
    browser_cookie: &'static str,
    known: Mutex<LruCache<u64, CachedCredential>>,
}

/// Result of the lookup for a request. It is stored in the request, so that the rate limit and the scheduler share it.
#[derive(Clone)]
struct CredentialLookup {
    /// `None` if the request has no credential.
    hash: Option<u64>,
    known: Option<CachedCredential>,
}

impl CredentialCache {
    /// Creates an empty cache. `browser_cookie` is the name of the cookie that identifies a browser session.
    pub fn new(browser_cookie: &'static str) -> Self {
        Self { key: RandomState::new(), browser_cookie, known: Mutex::new(LruCache::new(MAX_CACHED)) }
    }

    /// Returns the tenant of the request's credential if that is cached, else the tenant of its address.
    pub fn tenant(&self, request: &HttpRequest) -> Tenant {
        match self.find(request) {
            Some(known) => known.tenant,
            None => Tenant::at_address(address_of(request)),
        }
    }

    pub(crate) fn find(&self, request: &HttpRequest) -> Option<CachedCredential> {
        self.look_up(request).known
    }

    /// Caches the credential of an authenticated request. Returns [`Identity::holder`].
    pub fn remember(&self, request: &HttpRequest, identity: &Identity) -> Arc<str> {
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
    pub fn forget(&self, request: &HttpRequest) {
        let Some(hash) = self.look_up(request).hash else { return };
        self.lock().pop(&hash);
        request.extensions_mut().insert(CredentialLookup { hash: Some(hash), known: None });
    }

    /// Caches the cookie of a page of the console with the account that is signed in, or removes it if none is. Other
    /// pages count by address.
    pub(crate) fn record_session(&self, request: &HttpRequest, account: Option<AccountId>) {
        if !has_cookie(request) {
            return;
        }
        match account {
            Some(account) => drop(self.remember(request, &Identity::Account(account))),
            None => self.forget(request),
        }
    }

    fn look_up(&self, request: &HttpRequest) -> CredentialLookup {
        let looked_up = request.extensions().get::<CredentialLookup>().cloned();
        looked_up.unwrap_or_else(|| {
            let hash = self.hash(request);
            let looked_up = CredentialLookup { hash, known: hash.and_then(|hash| self.lock().get(&hash).cloned()) };
            request.extensions_mut().insert(looked_up.clone());
            looked_up
        })
    }

    /// Returns the hash of the request's credential: the cookie in the console, else the Authorization header.
    fn hash(&self, request: &HttpRequest) -> Option<u64> {
        if has_cookie(request) {
            let cookie = request.cookie(self.browser_cookie)?;
            return Some(self.key.hash_one(("cookie", cookie.value())));
        }
        let header = request.headers().get(AUTHORIZATION)?;
        Some(self.key.hash_one(("header", header.as_bytes())))
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<u64, CachedCredential>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the caller of a request is identified by the cookie.
fn has_cookie(request: &HttpRequest) -> bool {
    route_of(request).is_some_and(|route| route.credential == CredentialSource::Cookie)
}

/// Returns the client's address. All requests without one, as over a Unix socket, share the unspecified address.
pub(crate) fn address_of(request: &impl HttpMessage) -> IpAddr {
    let address = request.extensions().get::<Request>().and_then(|request| request.address);
    address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

#[cfg(test)]
mod tests {
    use actix_web::cookie::Cookie;
    use actix_web::test::TestRequest;
    use steward_domain::mocks::{a_bearer, a_key, id_of};

    use super::*;
    use crate::route::Route;

    fn at_home(request: TestRequest, credential: CredentialSource) -> HttpRequest {
        let request = request.to_http_request();
        request.extensions_mut().insert(Route { credential, ..Route::unknown(request.method()) });
        let address = Some([192, 0, 2, 1].into());
        request.extensions_mut().insert(Request { id: String::new(), address, claim: None });
        request
    }

    fn request(credential: &str) -> HttpRequest {
        at_home(TestRequest::get().insert_header((AUTHORIZATION, credential)), CredentialSource::Header)
    }

    fn request_with_cookie(credential: CredentialSource, cookie: &str) -> HttpRequest {
        at_home(TestRequest::get().cookie(Cookie::new("steward", cookie.to_owned())), credential)
    }

    #[test]
    fn a_credential_counts_against_its_tenant_while_it_is_valid() {
        let known = CredentialCache::new("steward");
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
        let known = CredentialCache::new("steward");
        known.remember(&request("Bearer key"), &Identity::Key(Arc::new(a_bearer(a_key()))));
        let holder = known.remember(&request("Bearer key"), &Identity::Account(id_of("ann").into()));
        assert!(holder.starts_with("account:"), "{holder}");
        assert_eq!(known.tenant(&request("Bearer key")), Tenant::Account(id_of("ann").into()));
    }

    #[test]
    fn a_cookie_counts_against_its_account_while_its_session_is_valid() {
        let known = CredentialCache::new("steward");
        let (account, at_address) = (id_of("ann").into(), Tenant::at_address([192, 0, 2, 1].into()));
        let tenant = |source, cookie| known.tenant(&request_with_cookie(source, cookie));
        assert_eq!(tenant(CredentialSource::Cookie, "valid"), at_address);

        known.record_session(&request_with_cookie(CredentialSource::Cookie, "valid"), Some(account));
        assert_eq!(tenant(CredentialSource::Cookie, "valid"), Tenant::Account(account));
        assert_eq!(tenant(CredentialSource::Header, "valid"), at_address, "The route does not accept the cookie.");
        for invented in ["", "invented", "valid2"] {
            known.record_session(&request_with_cookie(CredentialSource::Cookie, invented), None);
            assert_eq!(tenant(CredentialSource::Cookie, invented), at_address, "{invented}");
        }

        known.record_session(&request_with_cookie(CredentialSource::Cookie, "valid"), None);
        assert_eq!(tenant(CredentialSource::Cookie, "valid"), at_address);
    }

    #[test]
    fn a_cookie_says_nothing_about_the_credential_of_the_api() {
        let known = CredentialCache::new("steward");
        let with_both = TestRequest::get().insert_header((AUTHORIZATION, "Bearer key"));
        let with_both = at_home(with_both.cookie(Cookie::new("steward", "valid")), CredentialSource::Cookie);
        known.record_session(&with_both, Some(id_of("ann").into()));
        assert_eq!(known.find(&request("Bearer key")), None);
        // A cookie whose value is that of a header is another credential.
        known.remember(&request("Bearer key"), &Identity::Key(Arc::new(a_bearer(a_key()))));
        assert_eq!(known.find(&request_with_cookie(CredentialSource::Cookie, "Bearer key")), None);
    }
}
