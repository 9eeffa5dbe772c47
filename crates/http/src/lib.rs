//! The REST API of Steward: HTTP in, a use case, HTTP out. No rule lives here.

mod answer;
mod body;
mod credential_cache;
mod dispatch;
mod endpoint;
mod error;
mod extract;
mod frame;
mod idempotency;
mod in_flight;
mod lanes;
mod members;
mod metrics;
mod openapi;
mod rate_limit;
mod rate_limiter;
mod routes;
mod schema_diff;
mod shutdown;
mod streamed;
mod trace;
mod upload;

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::middleware::from_fn;
use actix_web::{HttpResponse, web};
use ipnet::IpNet;
use steward_domain::ports::IdGenerator;
use steward_domain::usecases::Steward;

pub use credential_cache::CredentialCache;
pub use frame::frame;
pub use in_flight::{InFlight, bound_output};
pub use lanes::{Scheduled, scheduled};
pub use metrics::{Metrics, MetricsSources, configure_metrics};
pub use openapi::openapi_json;
pub use rate_limit::limit_rate;
pub use rate_limiter::{InvalidRateLimit, RateLimit, RateLimitStats, RateLimiter, RateLimits};
pub use shutdown::Shutdown;

/// What the API needs.
#[derive(Clone)]
pub struct Api {
    /// The use cases.
    pub steward: Arc<Steward>,
    /// Makes request ids.
    pub ids: Arc<dyn IdGenerator>,
    /// The credentials that were valid recently, and whom they count against.
    pub known: Arc<CredentialCache>,
    /// Limits how many requests a caller may send.
    pub rate_limiter: Arc<RateLimiter>,
    /// Counts the bytes of responses that wait for their readers.
    pub in_flight: InFlight,
    /// Counts the requests.
    pub metrics: Metrics,
    /// Whether the service is shutting down.
    pub shutdown: Shutdown,
    /// The name of this deployment, shown at `/`.
    pub environment: String,
    /// Whether webhooks may go to private networks, and over plain http.
    pub allow_private_webhooks: bool,
    /// The proxies whose word is taken for where a request comes from.
    pub trusted_proxies: Arc<[IpNet]>,
    /// The cookie that names a person's browser to the authorization endpoint.
    pub browser_cookie: &'static str,
    /// Tells a person at a browser what is wrong with the address that they were sent to.
    pub error_page: fn(StatusCode, &str) -> HttpResponse,
}

/// Mounts the whole API. It takes every path that nothing before it took. [`frame`] goes around it, and finds its endpoints.
pub fn configure(app: &mut web::ServiceConfig, api: &Api) {
    let everything = web::scope("").wrap(from_fn(frame::open_to_all)).default_service(dispatch::Dispatch);
    app.app_data(web::Data::new(api.clone())).service(everything);
}
