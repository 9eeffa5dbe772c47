//! A request of a page that becomes one of the API.

use std::mem;

use actix_web::HttpMessage as _;
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::header::{HeaderMap, USER_AGENT};
use actix_web::http::{Method, Uri};
use actix_web::web::{self, Bytes};
use anyhow::anyhow;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::work::Work;

use crate::bodies::response::page_slot;
use crate::frame::{Frame, frame};
use crate::limits::in_flight::PageSlot;
use crate::limits::rate_limit::begin_operation;
use crate::route::Route;
use crate::shared::Web;

/// A request of the API.
#[derive(Debug)]
pub struct ApiRequest {
    /// Its method.
    pub method: Method,
    /// Its path and query.
    pub uri: Uri,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body; empty if it has none.
    pub body: Bytes,
}

/// Replaces a request of a page by one of the API, and counts that against the rate limit that the page counts against.
/// Neither the headers of the page nor what is known about its caller are passed on. Nothing else may hold the request.
/// Keep the result until the response is read.
///
/// # Errors
///
/// [`Error::TooMany`] if the rate limit is exceeded, and [`Error::Unavailable`] if too many pages are built for the
/// caller.
pub async fn forward(request: &mut ServiceRequest, to: ApiRequest) -> Result<Option<PageSlot>, Error> {
    let web = request.app_data::<web::Data<Web>>().cloned();
    let web = web.ok_or_else(|| Error::Internal(anyhow!("The service is not configured.")))?;
    let ApiRequest { method, uri, mut headers, body } = to;
    if let Some(agent) = request.headers().get(USER_AGENT) {
        headers.insert(USER_AGENT, agent.clone());
    }
    request.match_info_mut().get_mut().update(&uri);
    let head = request.head_mut();
    (head.method, head.uri, head.headers) = (method, uri, headers);
    request.set_payload(if body.is_empty() { Payload::None } else { Payload::from(body) });
    let page = mem::take(&mut *frame(request));
    let route = web.rest.find(request).unwrap_or_else(|| Route::unknown(request.method()));
    // What the page has stored in the request, such as its cookies.
    request.extensions_mut().clear();
    *frame(request) = Frame { route, credential: None, caller: None, holder: None, proof: None, ..page };
    Work::set_lane(route.lane);
    if let Some(operation) = route.operation {
        begin_operation(request.request(), operation, 0)?;
    }
    page_slot(&web, Work::current().tenant, request).await
}
