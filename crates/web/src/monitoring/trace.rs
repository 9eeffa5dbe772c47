//! Tracing spans of requests, as children of the client's span (W3C Trace Context). Disabled without a collector.

use actix_web::http::header::HeaderMap;
use actix_web::http::{Method, StatusCode};
use opentelemetry::global;
use opentelemetry::propagation::Extractor;
use opentelemetry::trace::TraceContextExt as _;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Creates the span of a request, with the attributes of OpenTelemetry's conventions for HTTP servers. Path and query
/// are omitted, because links contain secrets.
pub(crate) fn request_span(headers: &HeaderMap, method: &Method, request_id: &str) -> Span {
    let span = tracing::info_span!(
        "request",
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method.as_str(),
        http.route = Empty,
        http.response.status_code = Empty,
        steward.request_id = request_id,
    );
    if !span.is_disabled() {
        let parent = global::get_text_map_propagator(|propagator| propagator.extract(&Headers(headers)));
        if let Err(error) = span.set_parent(parent) {
            tracing::debug!(%error, "The trace of the client could not be continued.");
        }
    }
    span
}

/// Records the response in the span. Returns the trace ID, or `None` if tracing is disabled.
pub(crate) fn record_response(span: &Span, method: &Method, route: Option<&str>, status: StatusCode) -> Option<String> {
    if span.is_disabled() {
        return None;
    }
    let context = span.context();
    let otel_span = context.span();
    span.record("http.request.method", method.as_str());
    if let Some(route) = route {
        otel_span.update_name(format!("{method} {route}"));
        span.record("http.route", route);
    }
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    let context = otel_span.span_context();
    context.is_valid().then(|| context.trace_id().to_string())
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(|name| name.as_str()).collect()
    }
}
