//! Access of scripts of other origins to responses, and the default caching rule
//! (docs/contract.md#cross-origin-requests).

use actix_web::dev::ServiceResponse;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL,
    CONTENT_SECURITY_POLICY, HeaderValue, ORIGIN, VARY,
};

/// Response headers that scripts of other origins may read besides those that every script may (CORS-safelisted), such
/// as `Content-Type`: all that clients use (docs/contract.md#cross-origin-requests).
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Allow, Content-Disposition, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, \
     WWW-Authenticate, X-Request-Id",
);
const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");

/// The path at which scripts may send cookies too, as some OAuth libraries do. Cookies are ignored there, so that this
/// grants nothing.
const WITH_CREDENTIALS: &str = "/auth/token";

/// Adds the default `Cache-Control`, which forbids caches to reuse a response without revalidation, and lets scripts of
/// any origin read it, unless it is a page.
pub(crate) fn complete(response: &mut ServiceResponse) {
    let request = response.request();
    let origin = request.headers().get(ORIGIN).filter(|_| request.path().trim_end_matches('/') == WITH_CREDENTIALS);
    let origin = origin.cloned();
    let headers = response.headers_mut();
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    // Other origins must not read pages that use cookies (docs/contract.md#cross-origin-requests). Pages have a policy,
    // and so have images, which any origin may read.
    if headers.contains_key(CONTENT_SECURITY_POLICY) && !headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        return;
    }
    if origin.is_some() {
        headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.unwrap_or(ANY_ORIGIN));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}
