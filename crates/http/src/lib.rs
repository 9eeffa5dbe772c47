//! The REST API of Steward. It translates between HTTP and the use cases; business rules are in the domain.

mod credential_cache;
mod dispatch;
mod endpoint;
mod error;
mod error_page;
mod extract;
mod frame;
mod metrics;
mod middleware;
mod openapi;
mod rate_limiter;
mod read_ahead;
mod response;
mod route;
mod routes;
mod schema_diff;
mod streamed;
mod sync;

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::middleware::from_fn;
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::future::LocalBoxFuture;
use ipnet::IpNet;
use steward_domain::ports::IdGenerator;
use steward_domain::usecases::Steward;

pub use credential_cache::CredentialCache;
pub use frame::frame;
pub use metrics::{Metrics, MetricsSources, configure_metrics};
pub use middleware::in_flight::{InFlight, bound_output};
pub use middleware::lanes::{Scheduled, limit_time, scheduled};
pub use middleware::page_operation::{begin_page_operation, stream_page_body};
pub use middleware::rate_limit::limit_rate;
pub use middleware::request_body::bound_input;
pub use middleware::shutdown::Shutdown;
pub use openapi::openapi_json;
pub use rate_limiter::{InvalidRateLimit, RateLimit, RateLimitStats, RateLimiter, RateLimits};
pub use read_ahead::ReadAhead;
pub use sync::{SyncHub, SyncLimits};

/// Renders an error as an HTML page.
pub type ErrorPage = Arc<dyn Fn(StatusCode, &str) -> HttpResponse + Send + Sync>;

/// Renders the page at `/` for a request.
pub type HomePage = Arc<dyn Fn(HttpRequest) -> LocalBoxFuture<'static, HttpResponse> + Send + Sync>;

/// Dependencies and settings of the API.
#[derive(Clone)]
pub struct Api {
    /// The use cases that the handlers run.
    pub steward: Arc<Steward>,
    /// Generates request IDs.
    pub ids: Arc<dyn IdGenerator>,
    /// Maps recently authenticated credentials to their holders and tenants.
    pub credentials: Arc<CredentialCache>,
    /// Limits the request rate of each caller.
    pub rate_limiter: Arc<RateLimiter>,
    /// Limits the bytes of requests that are being processed and of responses that wait to be read.
    pub in_flight: InFlight,
    /// The devices that are connected to this process.
    pub sync: Arc<SyncHub>,
    /// Request counters and durations.
    pub metrics: Metrics,
    /// Whether the service is shutting down.
    pub shutdown: Shutdown,
    /// Name of this deployment, returned by `GET /`.
    pub environment: String,
    /// Whether webhooks may use private networks and plain HTTP.
    pub allow_private_webhooks: bool,
    /// Networks of the proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Arc<[IpNet]>,
    /// Returns the OpenAPI document: [`openapi_json`]. A function, because it is built when it is first requested.
    pub openapi: fn() -> &'static str,
    /// Name of the cookie that identifies a browser session at the authorization endpoint.
    pub browser_cookie: &'static str,
    /// Renders the page that `GET /` shows in a browser.
    pub home_page: HomePage,
    /// Renders an error as an HTML page, for requests that a browser opens.
    pub error_page: ErrorPage,
}

/// Mounts the API as the handler of all paths that no earlier service handles. Requires [`frame`] as outer middleware,
/// which finds the endpoint of each request.
pub fn configure(app: &mut web::ServiceConfig, api: &Api) {
    let service = web::scope("").wrap(from_fn(middleware::cors::add_cors_headers)).default_service(dispatch::Dispatch);
    app.app_data(web::Data::new(api.clone())).service(service);
}
