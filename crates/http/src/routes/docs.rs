//! The first page of the documentation, the OpenAPI document, and the JSON Schema of schema documents.

use std::sync::{LazyLock, OnceLock};

use actix_web::{HttpRequest, HttpResponse, web};
use steward_domain::model::schema;
use steward_web::Asset;

use crate::Api;
use crate::extract::OptionalCaller;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        GetDocs => page;
        GetOpenApi => json;
        GetJsonSchema => json_schema;
    }
}

/// The JSON Schema of schema documents.
static JSON_SCHEMA: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("application/schema+json", format!("{:#}", schema::json_schema()).as_bytes()));

/// The OpenAPI document, compressed when it is first requested, so that the start does not wait for it.
static DOCUMENT: OnceLock<Asset> = OnceLock::new();

pub(crate) async fn page(api: web::Data<Api>, _: OptionalCaller, request: HttpRequest) -> HttpResponse {
    api.web.pages.docs_home(&request)
}

pub(crate) async fn json(api: web::Data<Api>, _: OptionalCaller, request: HttpRequest) -> HttpResponse {
    let document = DOCUMENT.get_or_init(|| Asset::new("application/json", (api.openapi)().as_bytes()));
    document.respond(&request, |_| ())
}

pub(crate) async fn json_schema(_: OptionalCaller, request: HttpRequest) -> HttpResponse {
    JSON_SCHEMA.respond(&request, |_| ())
}
