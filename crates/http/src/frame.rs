//! What surrounds every answer, of API and pages: a request id, a span, one log line, metrics. And what lets any origin call the API.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Once};
use std::time::Instant;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, CONTENT_SECURITY_POLICY,
    HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest, web};
use ipnet::IpNet;
use steward_domain::error::Cause;
use steward_domain::model::Request;
use tracing::Instrument as _;

use crate::endpoint::{self, endpoint_of};
use crate::{Api, trace};

/// Who called, for the log.
pub(crate) struct CallerId(pub Arc<str>);

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// A proxy that nobody named is told of once.
static UNKNOWN_PROXY: Once = Once::new();
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// What scripts of other origins may read (contract 1.11).
const EXPOSED: &str = "ETag, Link, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy";

/// Answers one request. What it is known by is left in its extensions: a [`Request`], with its sender's own id if that is
/// sane, else a new one, and where it came from; and the endpoint that it is for.
///
/// # Errors
///
/// As what it surrounds.
pub async fn frame<B: MessageBody>(request: ServiceRequest, next: Next<B>) -> Result<ServiceResponse<B>, Error> {
    let began = Instant::now();
    let api = request.app_data::<web::Data<Api>>().cloned();
    let id = sane(request.headers().get(&REQUEST_ID));
    let id = id.or_else(|| Some(api.as_ref()?.ids.next().to_string())).unwrap_or_default();
    let address = api.as_ref().and_then(|api| origin(&request, &api.trusted_proxies));
    request.extensions_mut().insert(Request { id: id.clone(), address, claim: None });
    if let Some(endpoint) = endpoint::find(request.match_info().as_str()) {
        request.extensions_mut().insert(endpoint);
    }
    let method = request.method().clone();

    let span = trace::request_span(request.headers(), &method, &id);
    let mut response = next.call(request).instrument(span.clone()).await?;

    log_cause(&response, &id);
    if let Some(api) = &api {
        api.shutdown.apply(&mut response);
    }
    let headers = response.response_mut().headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let route = route_of(response.request());
    let (route, status, took) = (route.as_deref(), response.status(), began.elapsed());
    let trace_id = trace::answered(&span, &method, route, status);
    if let Some(api) = &api {
        api.metrics.answered(&method, route, status, took);
    }
    let (status, duration_ms) = (status.as_u16(), took.as_secs_f64() * 1000.0);
    let extensions = response.request().extensions();
    let caller = extensions.get::<CallerId>().map(|caller| &*caller.0);
    tracing::info!(request_id = id, method = %method, route, status, duration_ms, caller, trace_id, "request");
    drop(extensions);
    Ok(response)
}

/// The route of a request as it is documented. `None`: there is nothing at its path.
fn route_of(request: &HttpRequest) -> Option<Cow<'static, str>> {
    if let Some(endpoint) = endpoint_of(request) {
        return Some(Cow::Borrowed(&endpoint.path));
    }
    // A page, which takes a trailing slash too.
    let pattern = request.match_pattern()?;
    Some(Cow::Owned(pattern.trim_end_matches('/').to_owned()))
}

/// Logs why a request could not be done, once and with its id.
fn log_cause<B>(response: &ServiceResponse<B>, id: &str) {
    let extensions = response.response().extensions();
    let Some(cause) = extensions.get::<Arc<Cause>>() else { return };
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        tracing::warn!(request_id = id, cause = %format_args!("{cause:#}"), "a part of the service cannot be reached");
    } else {
        tracing::error!(request_id = id, cause = %format_args!("{cause:#}"), "a request failed");
    }
}

/// Lets scripts of any origin call and read the answer; nothing between may keep it unasked.
pub(crate) async fn open_to_all<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let mut response = next.call(request).await?;
    open_headers(response.response_mut().headers_mut());
    Ok(response)
}

/// Whether a person looks at the response with a browser.
pub(crate) fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

pub(crate) fn open_headers(headers: &mut HeaderMap) {
    // A page is for whoever looks at it: what surrounds it is its own.
    if !headers.contains_key(CONTENT_SECURITY_POLICY) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
}

/// Where a request comes from: who connected, or whom a trusted proxy names in `X-Forwarded-For`. Read from its end, each
/// address counts as long as a trusted proxy added it: what callers write themselves is never reached.
fn origin(request: &ServiceRequest, trusted: &[IpNet]) -> Option<IpAddr> {
    let peer = request.peer_addr()?.ip();
    let forwarded = request.headers().get_all(FORWARDED_FOR).filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
    if !hops.is_empty() && !trusted.iter().any(|network| network.contains(&peer.to_canonical())) {
        UNKNOWN_PROXY.call_once(|| {
            tracing::warn!(%peer, "X-Forwarded-For is not believed: if this is your proxy, name it in STEWARD_TRUSTED_PROXIES");
        });
    }
    Some(behind(peer, &hops, trusted))
}

fn behind(peer: IpAddr, hops: &[&str], trusted: &[IpNet]) -> IpAddr {
    let mut address = peer;
    for hop in hops.iter().rev() {
        if !trusted.iter().any(|network| network.contains(&address.to_canonical())) {
            break;
        }
        let Some(next) = hop_address(hop.trim()) else { break };
        address = next;
    }
    address
}

/// An address, as some proxies write it with a port.
fn hop_address(hop: &str) -> Option<IpAddr> {
    hop.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// An id that is safe to repeat in headers and logs: 1 to 128 letters, digits and `. _ : -`.
fn sane(header: Option<&HeaderValue>) -> Option<String> {
    let text = header?.to_str().ok()?;
    let good =
        (1..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b));
    good.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_trusted_proxies_added_says_where_a_request_comes_from() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        let of = |peer: &str, hops: &[&str]| behind(peer.parse().unwrap(), hops, &trusted).to_string();
        assert_eq!(of("192.0.2.9", &["198.51.100.1"]), "192.0.2.9");
        assert_eq!(of("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(of("10.0.0.1", &["1.2.3.4", " 198.51.100.1"]), "198.51.100.1");
        assert_eq!(of("10.0.0.1", &["198.51.100.1", "10.0.0.2"]), "198.51.100.1");
        assert_eq!(of("::ffff:10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(of("10.0.0.1", &["198.51.100.1:5678"]), "198.51.100.1");
        assert_eq!(of("10.0.0.1", &["[2001:db8::1]:5678"]), "2001:db8::1");
        assert_eq!(of("10.0.0.1", &["198.51.100.1", "nonsense"]), "10.0.0.1");
    }
}
