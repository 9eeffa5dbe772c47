//! Access of scripts of other origins to responses, and the default caching rule
//! (docs/contract.md#cross-origin-requests).

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL,
    CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue, ORIGIN, VARY,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpRequest};

/// Response headers that scripts of other origins may read besides those that every script may (CORS-safelisted), such
/// as `Content-Type`: all that clients use (docs/contract.md#cross-origin-requests).
const EXPOSED: &str = "Allow, Content-Disposition, ETag, Idempotency-Replayed, Link, Location, RateLimit, \
    RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id";

/// The path at which scripts may send cookies too, as some OAuth libraries do. Cookies are ignored there, so that this
/// grants nothing.
const WITH_CREDENTIALS: &str = "/auth/token";

/// Lets scripts of any origin read the response, and forbids caches to reuse it without revalidation.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn add_cors_headers<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let mut response = next.call(request).await?;
    let origin = allowed_with_credentials(response.request());
    set_headers(response.response_mut().headers_mut(), origin);
    Ok(response)
}

/// Adds the CORS headers, except to pages, and the default `Cache-Control`.
pub(crate) fn set_cors_headers(request: &HttpRequest, headers: &mut HeaderMap) {
    set_headers(headers, allowed_with_credentials(request));
}

/// Returns the origin of the script that sent the request, if it may send cookies.
fn allowed_with_credentials(request: &HttpRequest) -> Option<HeaderValue> {
    request.headers().get(ORIGIN).filter(|_| request.path().trim_end_matches('/') == WITH_CREDENTIALS).cloned()
}

fn set_headers(headers: &mut HeaderMap, origin: Option<HeaderValue>) {
    // Other origins must not read pages that use cookies (docs/contract.md#cross-origin-requests). Pages have a policy,
    // and so have images, which any origin may read.
    let is_page = headers.contains_key(CONTENT_SECURITY_POLICY) && !headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN);
    if !is_page {
        if origin.is_some() {
            headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
            headers.append(VARY, HeaderValue::from_static("Origin"));
        }
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.unwrap_or(HeaderValue::from_static("*")));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
}
