//! What happens to every request of API and pages around its handler, in this order.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::sync::Once;
use std::time::{Duration, Instant};

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};
use actix_web::middleware::Next;
use actix_web::{Error, web};
use ipnet::IpNet;
use steward_domain::kernel::Request;
use steward_domain::kernel::error::{Error as DomainError, ErrorCode, LoggedError};
use steward_domain::kernel::work::{Scope, Work};
use tracing::{Instrument as _, Span, field};

use crate::bodies::request::RequestBody;
use crate::bodies::response::{bound_output, page_slot};
use crate::frame::{Frame, frame};
use crate::limits::in_flight::PageSlot;
use crate::limits::lanes::Scheduled;
use crate::limits::rate_limit;
use crate::monitoring::outage_log::OutageLog;
use crate::monitoring::trace;
use crate::reject::reject;
use crate::rejection::Rejection;
use crate::route::Route;
use crate::shared::Web;
use crate::{cors, request_log};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// For a year, browsers reach the host only over https (RFC 6797). Its subdomains may be other services.
const HTTPS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");
/// Logs the warning about an untrusted proxy only once.
static UNKNOWN_PROXY: Once = Once::new();
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The middleware of all requests. Inside of it, [`frame`] returns what is known about the request.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn serve(request: ServiceRequest, next: Next<BoxBody>) -> Result<ServiceResponse, Error> {
    let started = Instant::now();
    let Some(web) = request.app_data::<web::Data<Web>>().cloned() else { return next.call(request).await };
    let (span, scope) = begin(&web, &request);
    let mut response = limit(&web, &scope, request, next).instrument(span.clone()).await?;
    let is_logged = log_cause(&response, &web.outage_log);
    web.shutdown.apply(&mut response);
    add_headers(&web, &mut response);
    report(&web, &scope, &span, &response, started.elapsed(), is_logged);
    Ok(response)
}

/// Stores what is known about a request before any other work, with the client's request ID if that is valid or else a
/// new one. Returns its span and the scope of its work.
fn begin(web: &Web, request: &ServiceRequest) -> (Span, Scope) {
    let id = valid_request_id(request.headers().get(&REQUEST_ID)).unwrap_or_else(|| web.ids.next().to_string());
    let span = trace::request_span(request.headers(), request.method(), &id);
    let metadata = Request { id, address: origin(request, &web.trusted_proxies), ..Request::default() };
    let (of_api, of_page) = (web.rest.find(request), || web.pages.find(request).map(|route| (route, true)));
    let found = of_api.map(|route| (route, false)).or_else(of_page);
    let (route, is_page) = found.unwrap_or_else(|| (Route::unknown(request.method()), false));
    *frame(request) = Frame { request: metadata, route, is_page, ..Frame::default() };
    let tenant = web.credentials.tenant(request.request());
    (span, Scope::of_request(Work { lane: route.lane, tenant }))
}

/// Handles a request within the limits of its caller.
async fn limit(
    web: &Web,
    scope: &Scope,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let mut response = match admit(web, scope, &request).await {
        // The slot is held until the response is built.
        Ok(_slot) => run(web, scope, request, next).await?,
        Err(error) => {
            let rejected = reject(request.request(), error);
            request.into_response(rejected)
        }
    };
    // Its operations may have been counted in addition.
    let usage = frame(response.request()).usage;
    if let Some((_, allowance)) = usage {
        rate_limit::write_headers(response.headers_mut(), &allowance);
    }
    Ok(response)
}

async fn admit(web: &Web, scope: &Scope, request: &ServiceRequest) -> Result<Option<PageSlot>, DomainError> {
    rate_limit::count(web, request.request())?;
    page_slot(web, scope.work().tenant, request).await
}

/// Handles a request as work of its lane and its caller's tenant, which the caller's credential may change. What it
/// receives and sends is bounded.
async fn run(
    web: &Web,
    scope: &Scope,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, Error> {
    let body = RequestBody::receive(&mut request, &web.in_flight.requests, scope.work().tenant);
    frame(&request).body = body.clone();
    let response = scope.run(next.call(request)).await?;
    // A page may have forwarded it.
    let operation = frame(response.request()).route.operation;
    if let Some(project) = scope.project().filter(|_| operation.is_some()) {
        web.steward.usage.count_request(project, web.steward.clock.now());
    }
    if let Some(body) = body.filter(RequestBody::is_rejected) {
        return Ok(reject_body(response, &body).await);
    }
    scope.remove_time_limit();
    let response = response.map_body(|_, body| BoxBody::new(Scheduled { scope: scope.clone(), body }));
    Ok(bound_output(web, scope.work().tenant, response))
}

/// Rejects a request whose body exceeds the memory of its tenant. Its handler got no complete body, so it did nothing but
/// report that.
async fn reject_body(response: ServiceResponse, body: &RequestBody) -> ServiceResponse {
    let (request, response) = response.into_parts();
    drop(response);
    body.drain().await;
    let rejected = reject(&request, Rejection::TooManyReceived);
    ServiceResponse::new(request, rejected)
}

fn add_headers(web: &Web, response: &mut ServiceResponse) {
    let known = frame(response.request());
    let (id, is_page) = (HeaderValue::from_str(&known.request.id), known.is_page);
    drop(known);
    if !is_page {
        cors::complete(response);
    }
    let headers = response.headers_mut();
    if let Ok(id) = id {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if web.steward.address.is_https() {
        headers.insert(STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
    }
}

/// Adds a request to its span, the metrics, and the logs of its project and of the service. A page may have forwarded it.
fn report(web: &Web, scope: &Scope, span: &Span, response: &ServiceResponse, elapsed: Duration, is_logged: bool) {
    let (request, known) = (response.request(), frame(response.request()));
    // A file of the pages has the path at which it is mounted.
    let of_file = || Some(Cow::Owned(request.match_pattern()?.trim_end_matches('/').to_owned()));
    let route = known.route.path.map(Cow::Borrowed).or_else(of_file);
    let (method, route, status) = (request.method(), route.as_deref(), response.status());
    let trace_id = trace::record_response(span, method, route, status);
    web.metrics.record_response(method, route, status, elapsed);
    request_log::record(web, scope, &known, response, elapsed);
    if is_logged {
        log_request(&known, response, route, elapsed, trace_id.as_deref());
    }
}

/// Writes the log line of a request. Of an error it has only the code, because the message may contain personal data.
/// Successful health checks are frequent, so they are logged at debug level.
fn log_request(
    known: &Frame,
    response: &ServiceResponse,
    route: Option<&str>,
    elapsed: Duration,
    trace_id: Option<&str>,
) {
    let (method, status) = (response.request().method(), response.status());
    let duration_ms = elapsed.as_secs_f64() * 1000.0;
    let request_id = &*known.request.id;
    let (address, caller) = (known.request.address.map(field::display), known.holder.as_deref());
    let of_response = response.response().extensions();
    let error = of_response.get::<LoggedError>().map(|error| &*error.code);
    let is_probe = route.is_some_and(|route| route.starts_with("/health/")) && status.is_success();
    let status = status.as_u16();
    if is_probe {
        tracing::debug!(request_id, %method, route, status, duration_ms, address, caller, error, trace_id, "request");
    } else {
        tracing::info!(request_id, %method, route, status, duration_ms, address, caller, error, trace_id, "request");
    }
}

/// Logs the cause of a server error with the request ID. Returns `false` if neither it nor the request is logged,
/// because the same outage was logged less than a second ago.
fn log_cause(response: &ServiceResponse, outages: &OutageLog) -> bool {
    let extensions = response.response().extensions();
    let Some(LoggedError { code, cause: Some(cause) }) = extensions.get() else { return true };
    let (id, cause) = (&frame(response.request()).request.id, format!("{cause:#}"));
    // Of a change whose outcome is not known, the log names each request.
    if response.status() != StatusCode::SERVICE_UNAVAILABLE || code == ErrorCode::OutcomeUnknown.as_str() {
        tracing::error!(request_id = id, cause, "The request failed.");
        return true;
    }
    let Some(repeated) = outages.admit(&cause, Instant::now()) else { return false };
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
        // Some proxies add a port.
        let with_port = || hop.trim().parse::<SocketAddr>().ok().map(|address| address.ip());
        let Some(next) = hop.trim().parse().ok().or_else(with_port) else { break };
        address = next;
    }
    address
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
