//! Health of the service (docs/contract.md#health).

use actix_web::http::header::{HeaderValue, VARY};
use actix_web::{HttpRequest, HttpResponse, web};
use steward_web::accepts_html;

use steward_api as wire;

use crate::Api;
use crate::error::ApiError;
use crate::extract::OptionalCaller;
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        GetRoot => root;
        GetAuthStatus => auth;
        GetUtilsStatus => utils;
        GetLiveness => live;
        GetReadiness => ready;
    }
}

pub(crate) async fn root(api: web::Data<Api>, _: OptionalCaller, request: HttpRequest) -> HttpResponse {
    let mut response = if accepts_html(request.headers()) {
        api.web.pages.home_page(request).await
    } else {
        let db_conn = api.steward.health.check().await.is_ok();
        let env = api.environment.clone();
        response::ok(&wire::ServiceInfo { root: true, env, db_conn, version: env!("CARGO_PKG_VERSION").into() })
    };
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    response
}

pub(crate) async fn auth(api: web::Data<Api>, _: OptionalCaller) -> Result<HttpResponse, ApiError> {
    status(&api).await
}

pub(crate) async fn utils(api: web::Data<Api>, _: OptionalCaller) -> Result<HttpResponse, ApiError> {
    status(&api).await
}

pub(crate) async fn live() -> HttpResponse {
    response::ok(&wire::Status { status: "pass".into() })
}

pub(crate) async fn ready(api: web::Data<Api>) -> Result<HttpResponse, ApiError> {
    if api.web.shutdown.has_begun() {
        return Err(ApiError::shutting_down());
    }
    status(&api).await
}

async fn status(api: &Api) -> Result<HttpResponse, ApiError> {
    api.steward.health.check().await?;
    Ok(response::ok(&wire::Status { status: "pass".into() }))
}
