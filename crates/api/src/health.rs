//! Health of the service (docs/contract.md#health).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{SERVICE, operations};

operations! {
    ROWS, SERVICE;

    /// Get service information
    ///
    /// Returns the name of the deployment, the version and the state of the database. With `Accept: text/html`, as browsers
    /// send it, the response is the landing page instead.
    GetRoot Get "/", Reads Safe, 200({ ServiceInfo | "text/html" }, "The service information, or the landing page.");

    /// Get the status of authentication
    ///
    /// Responds with 503 if the database cannot be reached or written to.
    GetAuthStatus Get "/auth", Reads Safe, 200(Status, "Authentication works.");

    /// Get the status of the utilities
    ///
    /// Responds with 503 if the database cannot be reached or written to.
    GetUtilsStatus Get "/utils", Reads Safe, 200(Status, "The utilities work.");

    /// Check liveness
    ///
    /// Reports that the process runs. It checks neither the database nor a credential.
    GetLiveness Get "/health/live", Unlimited Safe, 200(Status, "The process runs.");

    /// Check readiness
    ///
    /// Reports whether the service can process requests. Responds with 503 and the failing part if the database cannot be
    /// reached or written to, or if the service is shutting down.
    GetReadiness Get "/health/ready", Unlimited Safe, 200(Status, "The service can process requests.");
}

/// Information about the service.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ServiceInfo {
    /// Always `true`.
    pub root: bool,
    /// Name of this deployment.
    #[schema(example = "production")]
    pub env: String,
    /// Whether the database is reachable and writable.
    pub db_conn: bool,
    /// Version of the service.
    #[schema(example = "1.0.0")]
    pub version: Cow<'static, str>,
}

/// Status of a service that works. A service that fails responds with 503 and the status `fail`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Status {
    /// Always `pass`.
    #[schema(example = "pass")]
    pub status: Cow<'static, str>,
}
