//! The reference: the OpenAPI document, and a page to read it with.

use std::sync::Arc;

use actix_web::http::header::{CONTENT_SECURITY_POLICY, ContentType};
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::error::Error;
use utoipa_swagger_ui::Config;

use super::{Address, at};
use crate::error::{ApiError, RequestError};
use crate::extract::PathIds;
use crate::openapi::document;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/docs").get(page).mount(routes);
    at("/docs/json").get(json).mount(routes);
    at("/docs/{file}").get(file).mount(routes);
}

/// The page's own files, and the styles that its script sets.
const POLICY: &str =
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/// Read the reference in a browser
#[utoipa::path(get, path = "/docs", operation_id = "getDocs", tag = "service",
    responses((status = 200, content_type = "text/html", body = String)))]
pub(crate) async fn page(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let (_, html) = asset("index.html")?;
    // The page names its files relative to itself, and its address has a trailing slash or none.
    let base = if request.path().ends_with('/') { "./" } else { "docs/" };
    let html = String::from_utf8_lossy(&html).replacen("<head>", &format!("<head><base href=\"{base}\">"), 1);
    Ok(HttpResponse::Ok().content_type(ContentType::html()).insert_header((CONTENT_SECURITY_POLICY, POLICY)).body(html))
}

/// The OpenAPI document
#[utoipa::path(get, path = "/docs/json", operation_id = "getOpenApi", tag = "service",
    responses((status = 200, body = Object)))]
pub(crate) async fn json() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).body(document())
}

/// A file of the reference's page. Not part of the API, so not in its document.
async fn file(named: PathIds) -> Result<HttpResponse, ApiError> {
    let (content_type, bytes) = asset(named.file())?;
    Ok(HttpResponse::Ok().content_type(content_type).body(bytes))
}

fn asset(name: &str) -> Result<(String, Vec<u8>), ApiError> {
    let config = Arc::new(Config::from("json"));
    let found = utoipa_swagger_ui::serve(name, config)
        .map_err(|error| Error::Internal(anyhow::anyhow!("the reference's page: {error}")))?;
    let file = found.ok_or(RequestError::UnknownRoute)?;
    Ok((file.content_type, file.bytes.into_owned()))
}
