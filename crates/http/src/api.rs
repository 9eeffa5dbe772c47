//! What the handlers of the API need.

use std::sync::Arc;

use steward_domain::Steward;
use steward_web::Web;

use crate::sync::SyncHub;

/// Dependencies and settings of the API.
#[derive(Clone)]
pub struct Api {
    /// The use cases that the handlers run.
    pub steward: Arc<Steward>,
    /// What the middleware needs.
    pub web: Web,
    /// The devices that are connected to this process.
    pub sync: Arc<SyncHub>,
    /// Name of this deployment, returned by `GET /`.
    pub environment: String,
    /// Whether webhooks may use private networks and plain HTTP.
    pub allow_private_webhooks: bool,
    /// Returns the OpenAPI document: [`openapi_json`](crate::openapi_json). A function, because it is built when it is
    /// first requested.
    pub openapi: fn() -> &'static str,
}
