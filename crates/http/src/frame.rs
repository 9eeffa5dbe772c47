//! What surrounds every answer: a request id, one log line, and the headers that let any origin call.

use std::time::Instant;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, web};

use crate::Api;
use crate::error::ApiError;

/// The id of a request: its sender's own if that is sane, else a new one.
pub(crate) struct RequestId(pub String);

/// Who called, for the log.
pub(crate) struct CallerId(pub String);

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What scripts of other origins may read (contract 1.11).
const EXPOSED: &str = "ETag, Link, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset";

/// Answers one request.
pub(crate) async fn frame<B: MessageBody>(request: ServiceRequest, next: Next<B>) -> Result<ServiceResponse<B>, Error> {
    let began = Instant::now();
    let id = sane(request.headers().get(&REQUEST_ID)).unwrap_or_else(|| new_id(&request));
    request.extensions_mut().insert(RequestId(id.clone()));
    let method = request.method().clone();

    let mut response = next.call(request).await?;

    tell_cause(&response, &id);
    let headers = response.response_mut().headers_mut();
    surround(headers, &id);
    let caller = response.request().extensions().get::<CallerId>().map(|caller| caller.0.clone());
    let route = response.request().match_pattern().map(|route| shortened(&route));
    let (status, took) = (response.status().as_u16(), began.elapsed());
    if let Some(api) = response.request().app_data::<web::Data<Api>>() {
        api.metrics.answered(&method, route.as_deref(), status, took);
    }
    let duration_ms = took.as_secs_f64() * 1000.0;
    tracing::info!(request_id = id, method = %method, route, status, duration_ms, caller, "request");
    Ok(response)
}

/// Logs why a request could not be done, once and with its id.
fn tell_cause<B>(response: &ServiceResponse<B>, id: &str) {
    let refusal = response.response().error().and_then(|error| error.as_error::<ApiError>());
    let Some(cause) = refusal.and_then(ApiError::cause) else { return };
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        tracing::warn!(request_id = id, cause = %format_args!("{cause:#}"), "a part of the service cannot be reached");
    } else {
        tracing::error!(request_id = id, cause = %format_args!("{cause:#}"), "a request failed");
    }
}

/// The route as it is documented, without the trailing slash that every address also takes.
fn shortened(route: &str) -> String {
    let short = route.trim_end_matches('/');
    if short.is_empty() { "/".to_owned() } else { short.to_owned() }
}

fn surround(headers: &mut HeaderMap, id: &str) {
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
}

/// An id that is safe to repeat in headers and logs: 1 to 128 letters, digits and `. _ : -`.
fn sane(header: Option<&HeaderValue>) -> Option<String> {
    let text = header?.to_str().ok()?;
    let good =
        (1..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b));
    good.then(|| text.to_owned())
}

fn new_id(request: &ServiceRequest) -> String {
    request.app_data::<web::Data<Api>>().map(|api| api.ids.next().to_string()).unwrap_or_default()
}
