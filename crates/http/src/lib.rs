//! The REST API of Steward: HTTP in, a use case, HTTP out. No rule lives here.

mod answer;
mod body;
mod error;
mod extract;
mod frame;
mod metrics;
mod openapi;
mod routes;

use std::sync::Arc;

use actix_web::middleware::from_fn;
use actix_web::web;
use steward_domain::ports::IdGenerator;
use steward_domain::usecases::Steward;

pub use metrics::{Metrics, configure_metrics};
pub use openapi::openapi_json;

/// What the API needs.
#[derive(Clone)]
pub struct Api {
    /// The use cases.
    pub steward: Arc<Steward>,
    /// Makes request ids.
    pub ids: Arc<dyn IdGenerator>,
    /// Counts the requests.
    pub metrics: Metrics,
    /// The name of this deployment, shown at `/`.
    pub environment: String,
}

/// Mounts the whole API, with what surrounds every answer: request id, log line, cross-origin headers.
pub fn configure(app: &mut web::ServiceConfig, api: &Api) {
    let everything =
        web::scope("").wrap(from_fn(frame::frame)).configure(routes::mount).default_service(web::to(routes::unknown));
    app.app_data(web::Data::new(api.clone())).service(everything);
}
