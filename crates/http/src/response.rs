//! Responses: JSON bodies, pages of lists, timestamps.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue, LINK, PRAGMA};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use serde::Serialize;
use steward_api::Listing;
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{Page, Revision};
use steward_domain::ports::Compute;

use crate::error::ApiError;
use crate::extract::page;
use crate::extract::precondition::{self, ResourceTag};

/// Returns a JSON response.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status).json(body)
}

/// Returns the builder of a JSON response with a streamed body.
pub(crate) fn json_builder() -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response.content_type("application/json");
    response
}

/// Returns 200 with a JSON body.
pub(crate) fn ok(body: &impl Serialize) -> HttpResponse {
    json(StatusCode::OK, body)
}

/// Returns 201 with a JSON body.
pub(crate) fn created(body: &impl Serialize) -> HttpResponse {
    json(StatusCode::CREATED, body)
}

/// Returns the response to GET of a resource that can be changed (docs/contract.md#conditional-requests): 200 with its
/// entity tag, or 304 if the client has it. Fails with 412 if the `If-Match` header does not match it.
pub(crate) fn resource(
    request: &HttpRequest,
    kind: ResourceKind,
    revision: Revision,
    body: &impl Serialize,
) -> Result<HttpResponse, ApiError> {
    resource_with_tag(request, kind, ResourceTag::of(revision, body), body)
}

/// Like [`resource`], with a tag that is known without the body.
pub(crate) fn resource_with_tag(
    request: &HttpRequest,
    kind: ResourceKind,
    tag: ResourceTag,
    body: &impl Serialize,
) -> Result<HttpResponse, ApiError> {
    if precondition::has_resource(request, kind, tag)? {
        return Ok(HttpResponse::NotModified().insert_header(tag.header()).finish());
    }
    Ok(tagged(tag, ok(body)))
}

/// Returns the response to a change of a resource: 200 with the body that GET returns, and its entity tag.
pub(crate) fn changed(revision: Revision, body: &impl Serialize) -> HttpResponse {
    tagged(ResourceTag::of(revision, body), ok(body))
}

/// Adds the entity tag of a resource to the response of the operation that created or changed it.
pub(crate) fn tagged(tag: ResourceTag, mut response: HttpResponse) -> HttpResponse {
    let (name, value) = tag.header();
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(name, value);
    }
    response
}

/// Returns 200 with a body that contains a secret and must not be cached (RFC 6749 §5.1).
pub(crate) fn secret(body: &impl Serialize) -> HttpResponse {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).insert_header((PRAGMA, "no-cache")).json(body)
}

/// Returns 201 with a body that contains a secret and must not be cached.
pub(crate) fn secret_created(body: &impl Serialize) -> HttpResponse {
    HttpResponse::Created().insert_header((CACHE_CONTROL, "no-store")).insert_header((PRAGMA, "no-cache")).json(body)
}

/// Returns a page of a list, with a link to the next page (docs/contract.md#lists).
pub(crate) fn listed<T, W: Serialize>(
    request: &HttpRequest,
    page: Page<T>,
    render: impl FnMut(T) -> W,
) -> HttpResponse {
    let (mut response, next_cursor) = paged(request, &page);
    let data = page.items.into_iter().map(render).collect();
    response.json(Listing { data, next_cursor })
}

/// Like [`listed`], for entries that can be large: builds the body on a compute thread.
pub(crate) async fn listed_apart<T: Send + 'static, W: Serialize + 'static>(
    compute: &Arc<dyn Compute>,
    request: &HttpRequest,
    page: Page<T>,
    render: fn(T) -> W,
) -> Result<HttpResponse, Error> {
    let (response, next_cursor) = paged(request, &page);
    let listing = move || Listing { data: page.items.into_iter().map(render).collect(), next_cursor };
    json_apart(compute, response, listing).await
}

/// Returns a response with a JSON body that is built on a compute thread.
pub(crate) async fn json_apart<B: Serialize>(
    compute: &Arc<dyn Compute>,
    mut response: HttpResponseBuilder,
    body: impl FnOnce() -> B + Send + 'static,
) -> Result<HttpResponse, Error> {
    let text = compute.call(true, move || serde_json::to_vec(&body())).await?;
    let text = text.map_err(|error| Error::Internal(error.into()))?;
    Ok(response.content_type("application/json").body(text))
}

/// Returns the builder of a page's response, with the `Link` header, and the cursor of the next page.
pub(crate) fn paged<T>(request: &HttpRequest, page: &Page<T>) -> (HttpResponseBuilder, Option<String>) {
    let cursor = page.next.as_ref().map(page::encode);
    (linked(request, cursor.as_deref()), cursor)
}

/// Returns the builder of a page's response, with the `Link` header if there is a next page.
pub(crate) fn linked(request: &HttpRequest, next_cursor: Option<&str>) -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    if let Some(cursor) = next_cursor {
        response.insert_header((LINK, format!("<{}>; rel=\"next\"", page::next_url(request, cursor))));
    }
    response
}
