//! Request counters and durations, in the format of Prometheus.

use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use prometheus::process_collector::ProcessCollector;
use prometheus::proto::MetricFamily;
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry};

/// Request counters and durations. Labels are documented routes and known methods only, so that clients cannot create
/// time series.
#[derive(Clone)]
pub struct RequestMetrics {
    registry: Registry,
    requests: IntCounterVec,
    seconds: HistogramVec,
}

impl RequestMetrics {
    /// Creates the metrics. All values start at zero.
    pub fn new() -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let requests = Opts::new("steward_http_requests_total", "Number of HTTP requests.");
        let requests = IntCounterVec::new(requests, &["method", "route", "status"])?;
        let seconds = HistogramOpts::new("steward_http_request_duration_seconds", "Duration of HTTP requests.");
        let seconds = HistogramVec::new(seconds, &["method", "route"])?;
        registry.register(Box::new(requests.clone()))?;
        registry.register(Box::new(seconds.clone()))?;
        // Memory, CPU, threads and open files.
        registry.register(Box::new(ProcessCollector::for_self()))?;
        Ok(Self { registry, requests, seconds })
    }

    /// Returns the metric families.
    pub fn gather(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }

    pub(crate) fn record_response(&self, method: &Method, route: Option<&str>, status: StatusCode, elapsed: Duration) {
        let (method, route) = (known_method(method).unwrap_or("other"), route.unwrap_or("unknown"));
        self.requests.with_label_values(&[method, route, status.as_str()]).inc();
        self.seconds.with_label_values(&[method, route]).observe(elapsed.as_secs_f64());
    }
}

/// Returns the name of a method that the service knows.
pub(crate) fn known_method(method: &Method) -> Option<&'static str> {
    static KNOWN: [Method; 7] =
        [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    KNOWN.iter().find(|known| *known == method).map(Method::as_str)
}
