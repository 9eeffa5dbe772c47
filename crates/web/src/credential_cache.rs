//! The credential of a request and what is known of it, so that rate limits and fair scheduling know the caller before
//! any database query. They never decide about access: every request is authenticated again.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpMessage, HttpRequest};
use steward_domain::identity::{CredentialHolder, KnownCredentials};
use steward_domain::kernel::error::AuthenticationError;
use steward_domain::kernel::work::Tenant;
use steward_domain::kernel::{AccountId, Caller, Identity};

use crate::frame::{FoundCredential, frame};
use crate::route::CredentialSource;

/// The credentials that this process authenticated recently. Only one that was valid has a holder, so that invented ones
/// count by address.
pub struct CredentialCache {
    known: Arc<KnownCredentials>,
    /// Name of the cookie that identifies a browser session.
    pub browser_cookie: &'static str,
}

/// A credential in the Authorization header (RFC 6750 §2.1, RFC 9449 §7.1).
pub struct HeaderCredential<'a> {
    /// Whether it is bound to a key: whether the scheme is `DPoP`.
    pub is_bound: bool,
    /// The API key or token.
    pub text: &'a str,
}

impl<'a> HeaderCredential<'a> {
    /// Returns the credential of a request, or `None` if it has no header.
    ///
    /// # Errors
    ///
    /// [`AuthenticationError::NotBearer`] if the header has another form, or is repeated.
    pub fn of(request: &'a HttpRequest) -> Result<Option<Self>, AuthenticationError> {
        let mut headers = request.headers().get_all(AUTHORIZATION);
        let Some(header) = headers.next() else { return Ok(None) };
        let parsed = header.to_str().ok().and_then(|text| {
            let (scheme, text) = text.trim().split_once(' ')?;
            let (is_bound, text) = (scheme.eq_ignore_ascii_case("dpop"), text.trim());
            let is_known = is_bound || scheme.eq_ignore_ascii_case("bearer");
            (is_known && !text.is_empty() && !text.contains(' ')).then_some(Self { is_bound, text })
        });
        match (parsed, headers.next()) {
            (Some(credential), None) => Ok(Some(credential)),
            _ => Err(AuthenticationError::NotBearer),
        }
    }
}

impl CredentialCache {
    /// Creates it. `browser_cookie` is the name of the cookie that identifies a browser session.
    pub fn new(known: Arc<KnownCredentials>, browser_cookie: &'static str) -> Self {
        Self { known, browser_cookie }
    }

    /// Returns the tenant of the request's credential if its holder is known, else the tenant of its address.
    pub fn tenant(&self, request: &HttpRequest) -> Tenant {
        self.find(request).map_or_else(|| Tenant::at_address(address_of(request)), |known| known.tenant)
    }

    pub(crate) fn find(&self, request: &HttpRequest) -> Option<CredentialHolder> {
        let source = frame(request).route.credential;
        self.look_up(request, source)?.known?.holder.clone()
    }

    /// Returns the credential of a request that is there; `None` without one.
    pub fn look_up(&self, request: &HttpRequest, source: CredentialSource) -> Option<FoundCredential> {
        if let Some((_, found)) = frame(request).credential.as_ref().filter(|(looked_up, _)| *looked_up == source) {
            return found.clone();
        }
        let digest = match source {
            // No credential of the API has a space.
            CredentialSource::Cookie => {
                let cookie = request.cookie(self.browser_cookie);
                cookie.map(|cookie| self.known.digest(&format!("cookie {}", cookie.value())))
            }
            CredentialSource::Header => {
                let credential = HeaderCredential::of(request).ok().flatten();
                credential.map(|credential| self.known.digest(credential.text))
            }
        };
        let found = digest.map(|digest| FoundCredential { known: self.known.find(&digest), digest });
        frame(request).credential = Some((source, found.clone()));
        found
    }

    /// Returns the holder of the credential in the Authorization header, which was authenticated as this caller.
    pub fn authenticated(&self, request: &HttpRequest, caller: &Caller) -> Arc<str> {
        let mut found = self.look_up(request, CredentialSource::Header);
        if !caller.is_cached {
            found = found.map(|found| self.found_again(request, CredentialSource::Header, found));
        }
        let holder = found.and_then(|found| Some(found.known?.holder.as_ref()?.holder.clone()));
        holder.unwrap_or_else(|| caller.identity.holder().into())
    }

    /// Remembers the cookie of a page of the console with the account that is signed in, or forgets it if none is. Other
    /// pages count by address.
    pub fn record_session(&self, request: &HttpRequest, account: Option<AccountId>) {
        let source = frame(request).route.credential;
        if source != CredentialSource::Cookie {
            return;
        }
        let Some(found) = self.look_up(request, source) else { return };
        match account {
            Some(account) => self.known.remember(&found.digest, &Identity::Account(account)),
            None => self.known.forget(&found.digest),
        }
        self.found_again(request, source, found);
    }

    fn found_again(&self, request: &HttpRequest, source: CredentialSource, found: FoundCredential) -> FoundCredential {
        let found = FoundCredential { known: self.known.find(&found.digest), ..found };
        frame(request).credential = Some((source, Some(found.clone())));
        found
    }
}

/// Returns the client's address. All requests without one, as over a Unix socket, share the unspecified address.
pub(crate) fn address_of(request: &impl HttpMessage) -> IpAddr {
    frame(request).request.address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

#[cfg(test)]
mod tests {
    use actix_web::cookie::Cookie;
    use actix_web::test::TestRequest;
    use steward_domain::kernel::Request;
    use steward_domain::mocks::{MockTokenVault, a_bearer, a_key, id_of};

    use super::*;

    fn at_home(request: TestRequest, credential: CredentialSource) -> HttpRequest {
        let request = request.to_http_request();
        frame(&request).route.credential = credential;
        frame(&request).request.address = Some([192, 0, 2, 1].into());
        request
    }

    fn request(credential: &str) -> HttpRequest {
        at_home(TestRequest::get().insert_header((AUTHORIZATION, credential)), CredentialSource::Header)
    }

    fn request_with_cookie(credential: CredentialSource, cookie: &str) -> HttpRequest {
        at_home(TestRequest::get().cookie(Cookie::new("steward", cookie.to_owned())), credential)
    }

    /// No credentials are known, and the digest of a credential is the credential itself.
    fn cache() -> CredentialCache {
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(str::to_owned);
        CredentialCache::new(Arc::new(KnownCredentials::new(Arc::new(vault))), "steward")
    }

    /// The domain remembers the API key `key`.
    fn remember_key(cache: &CredentialCache) -> Caller {
        let identity = Identity::Key(Arc::new(a_bearer(a_key())));
        cache.known.remember(&"key".into(), &identity);
        Caller::new(identity, Request::local())
    }

    #[test]
    fn a_credential_counts_against_its_tenant_while_it_is_valid() {
        let cache = cache();
        let first = request("Bearer key");
        let at_address = Tenant::at_address([192, 0, 2, 1].into());
        assert_eq!(cache.tenant(&first), at_address);

        let caller = remember_key(&cache);
        let holder = cache.authenticated(&first, &caller);
        assert!(holder.starts_with("key:"), "{holder}");
        for request in [&first, &request("Bearer key"), &request("bearer  key "), &request("DPoP key")] {
            assert_eq!(cache.tenant(request), Tenant::Team(id_of("acme").into()));
            assert_eq!(cache.find(request).unwrap().holder, holder);
        }
        for other in ["Bearer other", "Basic key", "Bearer key key"] {
            assert_eq!(cache.find(&request(other)), None, "{other}");
        }

        cache.known.forget(&"key".into());
        assert_eq!(cache.tenant(&request("Bearer key")), at_address);
        // Of a credential that is forgotten in the meantime, the log has the holder nevertheless.
        assert_eq!(cache.authenticated(&first, &caller), holder);
    }

    #[test]
    fn a_credential_is_hashed_and_looked_up_once_for_a_request() {
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().times(1).returning(str::to_owned);
        let cache = CredentialCache::new(Arc::new(KnownCredentials::new(Arc::new(vault))), "steward");
        let caller = remember_key(&cache);
        let request = request("Bearer key");
        assert_eq!(cache.tenant(&request), Tenant::Team(id_of("acme").into()));
        let found = cache.look_up(&request, CredentialSource::Header).unwrap();
        assert_eq!((&*found.digest, found.known.is_some()), ("key", true));
        assert_eq!(cache.authenticated(&request, &caller), cache.find(&request).unwrap().holder);
    }

    #[test]
    fn a_cookie_counts_against_its_account_while_its_session_is_valid() {
        let cache = cache();
        let (account, at_address) = (id_of("ann").into(), Tenant::at_address([192, 0, 2, 1].into()));
        let tenant = |source, cookie| cache.tenant(&request_with_cookie(source, cookie));
        assert_eq!(tenant(CredentialSource::Cookie, "valid"), at_address);

        cache.record_session(&request_with_cookie(CredentialSource::Cookie, "valid"), Some(account));
        assert_eq!(tenant(CredentialSource::Cookie, "valid"), Tenant::Account(account));
        assert_eq!(tenant(CredentialSource::Header, "valid"), at_address, "The route does not accept the cookie.");
        for invented in ["", "invented", "valid2"] {
            cache.record_session(&request_with_cookie(CredentialSource::Cookie, invented), None);
            assert_eq!(tenant(CredentialSource::Cookie, invented), at_address, "{invented}");
        }

        cache.record_session(&request_with_cookie(CredentialSource::Cookie, "valid"), None);
        assert_eq!(tenant(CredentialSource::Cookie, "valid"), at_address);
    }

    #[test]
    fn a_cookie_says_nothing_about_the_credential_of_the_api() {
        let cache = cache();
        let with_both = TestRequest::get().insert_header((AUTHORIZATION, "Bearer key"));
        let with_both = at_home(with_both.cookie(Cookie::new("steward", "valid")), CredentialSource::Cookie);
        cache.record_session(&with_both, Some(id_of("ann").into()));
        assert_eq!(cache.find(&with_both).unwrap().tenant, Tenant::Account(id_of("ann").into()));
        assert_eq!(&*cache.look_up(&with_both, CredentialSource::Header).unwrap().digest, "key");
        assert_eq!(cache.find(&request("Bearer key")), None);
        // A cookie whose value is that of an API key is another credential.
        remember_key(&cache);
        assert_eq!(cache.find(&request_with_cookie(CredentialSource::Cookie, "key")), None);
    }
}
