//! What the service counts of itself, in the text format of Prometheus. Served on an address of its own, never the public
//! one (contract 2).

use std::time::Duration;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, TextEncoder};
use steward_domain::error::Error;

use crate::error::ApiError;

/// Counters of requests. Labels are the documented routes and methods, so that no caller can make up new ones.
#[derive(Clone)]
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    seconds: HistogramVec,
}

impl Metrics {
    /// Counters at zero.
    pub fn new() -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let requests = Opts::new("steward_http_requests_total", "Requests answered.");
        let requests = IntCounterVec::new(requests, &["method", "route", "status"])?;
        let seconds = HistogramOpts::new("steward_http_request_duration_seconds", "Time to answer a request.");
        let seconds = HistogramVec::new(seconds, &["method", "route"])?;
        registry.register(Box::new(requests.clone()))?;
        registry.register(Box::new(seconds.clone()))?;
        Ok(Self { registry, requests, seconds })
    }

    pub(crate) fn answered(&self, method: &Method, route: Option<&str>, status: u16, took: Duration) {
        const METHODS: [Method; 7] =
            [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
        let method = if METHODS.contains(method) { method.as_str() } else { "other" };
        let route = route.unwrap_or("unknown");
        self.requests.with_label_values(&[method, route, &status.to_string()]).inc();
        self.seconds.with_label_values(&[method, route]).observe(took.as_secs_f64());
    }
}

/// Mounts `/metrics`, and nothing else.
pub fn configure_metrics(app: &mut web::ServiceConfig, metrics: &Metrics) {
    app.app_data(web::Data::new(metrics.clone())).route("/metrics", web::get().to(expose));
}

async fn expose(metrics: web::Data<Metrics>) -> Result<HttpResponse, ApiError> {
    let text = TextEncoder::new().encode_to_string(&metrics.registry.gather());
    let text = text.map_err(|error| Error::Internal(error.into()))?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}
