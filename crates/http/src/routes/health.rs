//! How the service is (contract 2).

use actix_web::http::header::{ACCEPT, CONTENT_SECURITY_POLICY, HeaderValue, VARY};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Address, at};
use crate::Api;
use crate::answer;
use crate::error::{ApiError, CredentialError, ErrorBody};
use crate::extract::Visitor;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/").get(root).mount(routes);
    at("/auth").get(auth).mount(routes);
    at("/utils").get(utils).mount(routes);
    at("/health/live").get(live).mount(routes);
    at("/health/ready").get(ready).mount(routes);
}

const LANDING: &str = include_str!("landing.html");

#[derive(Serialize, ToSchema)]
pub(crate) struct ServiceInfo {
    root: bool,
    /// The name of this deployment.
    env: String,
    /// Whether the database answers.
    db_conn: bool,
    version: &'static str,
}

/// `pass`; a service that fails answers 503 with `fail`.
#[derive(Serialize, ToSchema)]
pub(crate) struct Status {
    status: &'static str,
}

/// Tell what this is
///
/// A browser gets a page.
#[utoipa::path(get, path = "/", operation_id = "getRoot", tag = "service",
    responses((status = 200, content((ServiceInfo = "application/json"), (String = "text/html")))))]
pub(crate) async fn root(api: web::Data<Api>, request: HttpRequest) -> HttpResponse {
    let accepted = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accepted.contains("text/html") {
        let policy = "default-src 'none'; style-src 'sha256-SQkE+aiqWmtRsxeRQzg/SaZjPm0gamThNtyN3F9Zn44='; frame-ancestors 'none'";
        return HttpResponse::Ok()
            .content_type("text/html; charset=utf-8")
            .insert_header((CONTENT_SECURITY_POLICY, policy))
            .insert_header((VARY, "Accept"))
            .body(LANDING);
    }
    let db_conn = api.steward.health.check().await.is_ok();
    let env = api.environment.clone();
    let mut response = answer::ok(&ServiceInfo { root: true, env, db_conn, version: env!("CARGO_PKG_VERSION") });
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    response
}

/// Tell whether signing in works
#[utoipa::path(get, path = "/auth", operation_id = "getAuthStatus", tag = "service",
    responses((status = 200, body = Status), CredentialError))]
pub(crate) async fn auth(api: web::Data<Api>, _: Visitor) -> Result<HttpResponse, ApiError> {
    status(&api).await
}

/// Tell whether the utilities work
#[utoipa::path(get, path = "/utils", operation_id = "getUtilsStatus", tag = "service",
    responses((status = 200, body = Status), CredentialError))]
pub(crate) async fn utils(api: web::Data<Api>, _: Visitor) -> Result<HttpResponse, ApiError> {
    status(&api).await
}

/// Tell whether the process runs
#[utoipa::path(get, path = "/health/live", operation_id = "getLiveness", tag = "service",
    responses((status = 200, body = Status)))]
pub(crate) async fn live() -> HttpResponse {
    answer::ok(&Status { status: "pass" })
}

/// Tell whether requests can be answered
#[utoipa::path(get, path = "/health/ready", operation_id = "getReadiness", tag = "service",
    responses((status = 200, body = Status), (status = 503, body = ErrorBody)))]
pub(crate) async fn ready(api: web::Data<Api>) -> Result<HttpResponse, ApiError> {
    if api.shutdown.has_begun() {
        return Err(ApiError::shutting_down());
    }
    status(&api).await
}

async fn status(api: &Api) -> Result<HttpResponse, ApiError> {
    api.steward.health.check().await?;
    Ok(answer::ok(&Status { status: "pass" }))
}
