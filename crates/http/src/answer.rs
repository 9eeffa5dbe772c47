//! Answers: JSON bodies, pages of lists, moments.

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, LINK, PRAGMA};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use serde::Serialize;
use steward_domain::model::{Page, Time};
use utoipa::ToSchema;

use crate::extract::page;

/// A thing, wrapped as most answers are.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Data<T> {
    pub data: T,
}

/// A list, or a page of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Listing<T> {
    pub data: Vec<T>,
    /// Where the next page begins, while there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// That it was done.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Success {
    pub success: bool,
}

/// What was done, in words.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Message {
    pub message: &'static str,
}

/// A JSON answer.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status).json(body)
}

/// Begins a JSON answer whose body is written as it is read.
pub(crate) fn json_builder() -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response.content_type("application/json");
    response
}

/// 200 with a JSON body.
pub(crate) fn ok(body: &impl Serialize) -> HttpResponse {
    json(StatusCode::OK, body)
}

/// 201 with a JSON body.
pub(crate) fn created(body: &impl Serialize) -> HttpResponse {
    json(StatusCode::CREATED, body)
}

/// 200 with a body that holds a secret: nothing between us and the caller may keep it (RFC 6749 §5.1).
pub(crate) fn secret(body: &impl Serialize) -> HttpResponse {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).insert_header((PRAGMA, "no-cache")).json(body)
}

/// 201 with a body that holds a secret.
pub(crate) fn secret_created(body: &impl Serialize) -> HttpResponse {
    HttpResponse::Created().insert_header((CACHE_CONTROL, "no-store")).insert_header((PRAGMA, "no-cache")).json(body)
}

/// A page of a list, with a link to the next (contract 1.10).
pub(crate) fn listed<T, W: Serialize>(request: &HttpRequest, page: Page<T>, shown: impl FnMut(T) -> W) -> HttpResponse {
    let (mut response, next_cursor) = paged(request, &page);
    let data = page.items.into_iter().map(shown).collect();
    response.json(Listing { data, next_cursor })
}

/// Begins the answer of a page: the `Link` header is set; tells the cursor of the next page.
pub(crate) fn paged<T>(request: &HttpRequest, page: &Page<T>) -> (HttpResponseBuilder, Option<String>) {
    let cursor = page.next.as_ref().map(page::encode);
    (linked(request, cursor.as_deref()), cursor)
}

/// Begins the answer of a page that may have a next one.
pub(crate) fn linked(request: &HttpRequest, next_cursor: Option<&str>) -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    if let Some(cursor) = next_cursor {
        response.insert_header((LINK, format!("<{}>; rel=\"next\"", page::next_address(request, cursor))));
    }
    response
}

/// A moment as every answer spells it (RFC 3339, UTC).
pub(crate) fn moment(time: Time) -> String {
    time.to_rfc3339_opts(chrono::SecondsFormat::Micros, true)
}
