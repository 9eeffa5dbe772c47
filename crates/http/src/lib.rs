//! The REST API of Steward. It translates between HTTP and the use cases; business rules are in the domain.

mod api;
mod dispatch;
mod endpoint;
mod error;
mod error_page;
mod extract;
mod idempotency;
mod metrics;
mod openapi;
mod route;
mod routes;
mod schema_diff;
mod serve;
mod side;
mod streamed;
mod sync;
mod waiting;

use actix_web::web;

pub use api::Api;
pub use dispatch::service;
pub use metrics::{MetricsSources, configure_metrics};
pub use openapi::openapi_json;
pub use side::Rest;
pub use sync::{SyncHub, SyncLimits};
pub use waiting::{Waiting, configure_waiting};

/// Mounts the API as the handler of all paths that no earlier service handles. Requires [`steward_web::serve`] as outer
/// middleware, which finds the route of each request.
pub fn configure(app: &mut web::ServiceConfig, api: &Api) {
    app.app_data(web::Data::new(api.clone())).default_service(service());
}
