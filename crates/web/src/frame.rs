//! Middleware for every response of API and pages: request ID, tracing span, one log line, metrics. Also CORS, which
//! lets any origin use the API.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest, web};
use ipnet::IpNet;
use steward_domain::kernel::Request;
use steward_domain::kernel::error::{Cause, ErrorCode, LoggedCode};
use tracing::{Instrument as _, field};

use crate::monitoring::outage_log::OutageLog;
use crate::monitoring::trace;
use crate::request_log;
use crate::route::{Route, route_of};
use crate::shared::Web;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// For a year, browsers reach the host only over https (RFC 6797). Its subdomains may be other services.
const HTTPS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");
/// Logs the warning about an untrusted proxy only once.
static UNKNOWN_PROXY: Once = Once::new();
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Identifies the caller in the log. Stored in the request's extensions by what authenticates the caller.
pub struct CallerId(pub Arc<str>);

/// Returns the metadata of the request that [`frame`] stored.
pub fn request_metadata(request: &HttpRequest) -> Request {
    let unknown = || Request { id: String::new(), address: None, claim: None };
    request.extensions().get::<Request>().cloned().unwrap_or_else(unknown)
}

/// Outermost middleware. Stores in the request's extensions a [`Request`], with the client's request ID if that is
/// valid or else a new one, and the client's address; and the
/// [`Route`] of the request.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn frame<B: MessageBody>(request: ServiceRequest, next: Next<B>) -> Result<ServiceResponse<B>, Error> {
    let started = Instant::now();
    let web = request.app_data::<web::Data<Web>>().cloned();
    let id = valid_request_id(request.headers().get(&REQUEST_ID));
    let id = id.or_else(|| Some(web.as_ref()?.ids.next().to_string())).unwrap_or_default();
    let address = web.as_ref().and_then(|web| origin(&request, &web.trusted_proxies));
    request.extensions_mut().insert(Request { id: id.clone(), address, claim: None });
    let route = web.as_ref().and_then(|web| web.rest.find(&request).or_else(|| web.pages.find(&request)));
    request.extensions_mut().insert(route.unwrap_or_else(|| Route::unknown(request.method())));
    let method = request.method().clone();

    let span = trace::request_span(request.headers(), &method, &id);
    let mut response = next.call(request).instrument(span.clone()).await?;

    let is_logged = log_cause(&response, &id, web.as_ref().map(|web| &*web.outage_log));
    if let Some(web) = &web {
        web.shutdown.apply(&mut response);
    }
    let headers = response.response_mut().headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if web.as_ref().is_some_and(|web| web.steward.address.is_https()) {
        headers.insert(STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
    }
    // A page may have forwarded it.
    let method = response.request().method().clone();
    let route = mounted_path(response.request());
    let route = route.as_deref();
    let (status, elapsed) = (response.status(), started.elapsed());
    let trace_id = trace::record_response(&span, &method, route, status);
    if let Some(web) = &web {
        web.metrics.record_response(&method, route, status, elapsed);
        let caller = response.request().extensions().get::<CallerId>().map(|caller| caller.0.clone());
        request_log::record(web, &response, &method, caller, elapsed);
    }
    if is_logged {
        log_request(&response, &method, route, elapsed, trace_id.as_deref());
    }
    Ok(response)
}

/// Writes the log line of a request. Of an error it has only the code, because the message may contain personal data.
/// Successful health checks are frequent, so they are logged at debug level.
fn log_request<B>(
    response: &ServiceResponse<B>,
    method: &Method,
    route: Option<&str>,
    elapsed: Duration,
    trace_id: Option<&str>,
) {
    let (status, duration_ms) = (response.status(), elapsed.as_secs_f64() * 1000.0);
    let (of_request, of_response) = (response.request().extensions(), response.response().extensions());
    let request = of_request.get::<Request>();
    let request_id = request.map(|request| &*request.id);
    let address = request.and_then(|request| request.address).map(field::display);
    let caller = of_request.get::<CallerId>().map(|caller| &*caller.0);
    let error = of_response.get::<LoggedCode>().map(|code| &*code.0);
    let is_probe = route.is_some_and(|route| route.starts_with("/health/")) && status.is_success();
    let status = status.as_u16();
    if is_probe {
        tracing::debug!(request_id, %method, route, status, duration_ms, address, caller, error, trace_id, "request");
    } else {
        tracing::info!(request_id, %method, route, status, duration_ms, address, caller, error, trace_id, "request");
    }
}

/// Returns the path of a request as it is documented. `None` if nothing is mounted at its path.
fn mounted_path(request: &HttpRequest) -> Option<Cow<'static, str>> {
    if let Some(path) = route_of(request).and_then(|route| route.path) {
        return Some(Cow::Borrowed(path));
    }
    // A file of the pages.
    let pattern = request.match_pattern()?;
    Some(Cow::Owned(pattern.trim_end_matches('/').to_owned()))
}

/// Logs the cause of a server error with the request ID. Returns `false` if neither it nor the request is logged,
/// because the same outage was logged less than a second ago.
fn log_cause<B>(response: &ServiceResponse<B>, id: &str, outages: Option<&OutageLog>) -> bool {
    let extensions = response.response().extensions();
    let Some(cause) = extensions.get::<Arc<Cause>>() else { return true };
    let cause = format!("{cause:#}");
    // Of a change whose outcome is not known, the log names each request.
    let is_unknown = extensions.get::<LoggedCode>().is_some_and(|code| code.0 == ErrorCode::OutcomeUnknown.as_str());
    if response.status() != StatusCode::SERVICE_UNAVAILABLE || is_unknown {
        tracing::error!(request_id = id, cause, "The request failed.");
        return true;
    }
    let Some(repeated) = outages.map_or(Some(0), |outages| outages.admit(&cause, Instant::now())) else {
        return false;
    };
    // Requests that failed for the same cause since the last line, and were not logged.
    let repeated = Some(repeated).filter(|repeated| *repeated > 0);
    tracing::warn!(request_id = id, cause, repeated, "The service is temporarily unavailable.");
    true
}

/// Returns the client's address: that of the connection, or the one that a trusted proxy added to `X-Forwarded-For`.
/// The header is read from its end, and only as long as a trusted proxy added the address, so that clients cannot forge
/// it.
fn origin(request: &ServiceRequest, trusted: &[IpNet]) -> Option<IpAddr> {
    let peer = request.peer_addr()?.ip();
    let forwarded = request.headers().get_all(FORWARDED_FOR).filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
    if !hops.is_empty() && !trusted.iter().any(|network| network.contains(&peer.to_canonical())) {
        UNKNOWN_PROXY.call_once(|| {
            tracing::warn!(
                %peer,
                "X-Forwarded-For is ignored because the proxy is not trusted. If this is your proxy, add it to \
                 STEWARD_TRUSTED_PROXIES.",
            );
        });
    }
    Some(client_address(peer, &hops, trusted))
}

fn client_address(peer: IpAddr, hops: &[&str], trusted: &[IpNet]) -> IpAddr {
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

/// Parses an address. Some proxies add a port.
fn hop_address(hop: &str) -> Option<IpAddr> {
    hop.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// Returns a request ID that is safe to use in headers and logs: 1 to 128 ASCII letters, digits and `. _ : -`.
fn valid_request_id(header: Option<&HeaderValue>) -> Option<String> {
    let text = header?.to_str().ok()?;
    let is_valid =
        (1..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b));
    is_valid.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_trusted_proxies_added_are_used() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        let of = |peer: &str, hops: &[&str]| client_address(peer.parse().unwrap(), hops, &trusted).to_string();
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
