//! Access of scripts of other origins to responses, and the default caching rule
//! (docs/contract.md#cross-origin-requests).

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap,
    HeaderValue,
};
use actix_web::middleware::Next;

/// Response headers that scripts of other origins may read (docs/contract.md#cross-origin-requests).
const EXPOSED: &str = "ETag, Link, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy";

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
    set_cors_headers(response.response_mut().headers_mut());
    Ok(response)
}

/// Adds the CORS headers, except to pages, and the default `Cache-Control`.
pub(crate) fn set_cors_headers(headers: &mut HeaderMap) {
    // Only pages have this header. Other origins must not read pages that use cookies
    // (docs/contract.md#cross-origin-requests).
    if !headers.contains_key(CONTENT_SECURITY_POLICY) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
}
