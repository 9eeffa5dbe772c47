//! Health of the service (docs/contract.md#health).

use actix_web::http::header::{HeaderValue, VARY};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use steward_web::accepts_html;
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::OptionalCaller;
use crate::response;
use crate::route::{ApiRoute, service_routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    service_routes! {
        root;
        auth;
        utils;
        live;
        ready;
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ServiceInfo {
    /// Always `true`.
    root: bool,
    /// Name of this deployment.
    #[schema(example = "production")]
    env: String,
    /// Whether the database is reachable and writable.
    db_conn: bool,
    /// Version of the service.
    #[schema(example = "1.0.0")]
    version: &'static str,
}

/// Status of a service that works. A service that fails responds with 503 and the status `fail`.
#[derive(Serialize, ToSchema)]
pub(crate) struct Status {
    /// Always `pass`.
    #[schema(example = "pass")]
    status: &'static str,
}

/// Get service information
///
/// Returns the name of the deployment, the version and the state of the database. With `Accept: text/html`, as browsers
/// send it, the response is the landing page instead.
#[utoipa::path(get, path = "/", operation_id = "getRoot", tag = "service",
    responses((status = 200, description = "The service information, or the landing page.",
        content((ServiceInfo = "application/json"), (String = "text/html")))))]
pub(crate) async fn root(api: web::Data<Api>, _: OptionalCaller, request: HttpRequest) -> HttpResponse {
    let mut response = if accepts_html(request.headers()) {
        api.web.pages.home_page(request).await
    } else {
        let db_conn = api.steward.health.check().await.is_ok();
        let env = api.environment.clone();
        response::ok(&ServiceInfo { root: true, env, db_conn, version: env!("CARGO_PKG_VERSION") })
    };
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    response
}

/// Get the status of authentication
///
/// Responds with 503 if the database cannot be reached or written to.
#[utoipa::path(get, path = "/auth", operation_id = "getAuthStatus", tag = "service",
    responses((status = 200, body = Status, description = "Authentication works.")))]
pub(crate) async fn auth(api: web::Data<Api>, _: OptionalCaller) -> Result<HttpResponse, ApiError> {
    status(&api).await
}

/// Get the status of the utilities
///
/// Responds with 503 if the database cannot be reached or written to.
#[utoipa::path(get, path = "/utils", operation_id = "getUtilsStatus", tag = "service",
    responses((status = 200, body = Status, description = "The utilities work.")))]
pub(crate) async fn utils(api: web::Data<Api>, _: OptionalCaller) -> Result<HttpResponse, ApiError> {
    status(&api).await
}

/// Check liveness
///
/// Reports that the process runs. It checks neither the database nor a credential.
#[utoipa::path(get, path = "/health/live", operation_id = "getLiveness", tag = "service",
    responses((status = 200, body = Status, description = "The process runs.")))]
pub(crate) async fn live() -> HttpResponse {
    response::ok(&Status { status: "pass" })
}

/// Check readiness
///
/// Reports whether the service can process requests. Responds with 503 and the failing part if the database cannot be
/// reached or written to, or if the service is shutting down.
#[utoipa::path(get, path = "/health/ready", operation_id = "getReadiness", tag = "service",
    responses((status = 200, body = Status, description = "The service can process requests.")))]
pub(crate) async fn ready(api: web::Data<Api>) -> Result<HttpResponse, ApiError> {
    if api.web.shutdown.has_begun() {
        return Err(ApiError::shutting_down());
    }
    status(&api).await
}

async fn status(api: &Api) -> Result<HttpResponse, ApiError> {
    api.steward.health.check().await?;
    Ok(response::ok(&Status { status: "pass" }))
}
