//! The REST API of Steward. It translates between HTTP and the use cases; business rules are in the domain.

mod api;
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

use actix_web::middleware::from_fn;
use actix_web::web;

pub use api::{Api, ErrorPage, HomePage};
pub use credential_cache::CredentialCache;
pub use frame::frame;
pub use metrics::{Metrics, MetricsSources, configure_metrics};
pub use middleware::in_flight::InFlight;
pub use middleware::lanes::{Scheduled, limit_time, scheduled};
pub use middleware::page_operation::{begin_page_operation, stream_page_body};
pub use middleware::rate_limit::limit_rate;
pub use middleware::request_body::bound_input;
pub use middleware::response_body::bound_output;
pub use middleware::shutdown::Shutdown;
pub use openapi::openapi_json;
pub use rate_limiter::{InvalidRateLimit, RateLimit, RateLimitStats, RateLimiter, RateLimits};
pub use read_ahead::ReadAhead;
pub use sync::{SyncHub, SyncLimits};

/// Mounts the API as the handler of all paths that no earlier service handles. Requires [`frame`] as outer middleware,
/// which finds the endpoint of each request.
pub fn configure(app: &mut web::ServiceConfig, api: &Api) {
    let service = web::scope("").wrap(from_fn(middleware::cors::add_cors_headers)).default_service(dispatch::Dispatch);
    app.app_data(web::Data::new(api.clone())).service(service);
}
