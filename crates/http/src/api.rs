//! What the handlers of the API and its middleware need.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use futures_util::future::LocalBoxFuture;
use ipnet::IpNet;
use steward_domain::ports::IdGenerator;
use steward_domain::usecases::Steward;

use crate::credential_cache::CredentialCache;
use crate::metrics::Metrics;
use crate::middleware::in_flight::InFlight;
use crate::middleware::shutdown::Shutdown;
use crate::rate_limiter::RateLimiter;
use crate::sync::SyncHub;

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
    /// Returns the OpenAPI document: [`openapi_json`](crate::openapi_json). A function, because it is built when it is
    /// first requested.
    pub openapi: fn() -> &'static str,
    /// Name of the cookie that identifies a browser session at the authorization endpoint.
    pub browser_cookie: &'static str,
    /// Renders the page that `GET /` shows in a browser.
    pub home_page: HomePage,
    /// Renders an error as an HTML page, for requests that a browser opens.
    pub error_page: ErrorPage,
}
