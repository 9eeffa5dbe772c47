//! Request counters and durations, in the format of Prometheus.

use std::sync::Arc;
use std::time::Duration;

use actix_web::http::{Method, StatusCode};
use prometheus::local::{LocalHistogramVec, LocalIntCounterVec};
use prometheus::process_collector::ProcessCollector;
use prometheus::proto::MetricFamily;
use prometheus::{HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry};
use steward_domain::kernel::PerThread;

/// Request counters and durations. Labels are documented routes and known methods only, so that clients cannot create
/// time series.
#[derive(Clone)]
pub struct RequestMetrics {
    registry: Registry,
    counted: Arc<PerThread<Counted>>,
}

/// What threads have counted since the metrics were last read.
struct Counted {
    requests: LocalIntCounterVec,
    seconds: LocalHistogramVec,
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
        let counted = PerThread::new(|| Counted { requests: requests.local(), seconds: seconds.local() });
        Ok(Self { registry, counted: Arc::new(counted) })
    }

    /// Returns the metric families.
    pub fn gather(&self) -> Vec<MetricFamily> {
        for counted in self.counted.all() {
            counted.requests.flush();
            counted.seconds.flush();
        }
        self.registry.gather()
    }

    pub(crate) fn record_response(&self, method: &Method, route: Option<&str>, status: StatusCode, elapsed: Duration) {
        let (method, route) = (known_method(method).unwrap_or("other"), route.unwrap_or("unknown"));
        let mut counted = self.counted.own();
        counted.requests.with_label_values(&[method, route, status.as_str()]).inc();
        counted.seconds.with_label_values(&[method, route]).observe(elapsed.as_secs_f64());
    }
}

/// Returns the name of a method that the service knows.
pub(crate) fn known_method(method: &Method) -> Option<&'static str> {
    static KNOWN: [Method; 7] =
        [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    KNOWN.iter().find(|known| *known == method).map(Method::as_str)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_threads_count_is_read_together() {
        let metrics = RequestMetrics::new().unwrap();
        let count = |times: u32| {
            let elapsed = Duration::from_millis(1);
            (0..times).for_each(|_| metrics.record_response(&Method::GET, Some("/team"), StatusCode::OK, elapsed));
        };
        let total = || {
            let families = metrics.gather();
            let family = families.iter().find(|family| family.name() == "steward_http_requests_total").unwrap();
            family.get_metric()[0].get_counter().get_value()
        };
        count(1);
        thread::scope(|scope| drop((scope.spawn(|| count(2)), scope.spawn(|| count(3)))));
        assert_eq!([total(), total()], [6.0, 6.0]);
        count(1);
        assert_eq!(total(), 7.0);
    }
}
