//! A request of a page that becomes one of the API.

use actix_web::HttpMessage as _;
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::header::{HeaderMap, USER_AGENT};
use actix_web::http::{Method, Uri};
use actix_web::web::{self, Bytes};
use anyhow::anyhow;
use steward_domain::error::Error;
use steward_domain::work::Work;

use crate::credential_cache::CredentialCache;
use crate::operation::begin_operation;
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

/// Replaces a request of a page by one of the API, and counts that against the rate limit of the person or the address. The
/// headers of the page, with its cookies, are not passed on. Nothing else may hold the request.
///
/// # Errors
///
/// [`Error::TooMany`] if the rate limit is exceeded.
pub fn forward(request: &mut ServiceRequest, to: ApiRequest) -> Result<(), Error> {
    let ApiRequest { method, uri, mut headers, body } = to;
    if let Some(agent) = request.headers().get(USER_AGENT) {
        headers.insert(USER_AGENT, agent.clone());
    }
    request.match_info_mut().get_mut().update(&uri);
    let head = request.head_mut();
    (head.method, head.uri, head.headers) = (method, uri, headers);
    request.set_payload(if body.is_empty() { Payload::None } else { Payload::from(body) });

    CredentialCache::detach(request.request());
    let web = request.app_data::<web::Data<Web>>().cloned();
    let web = web.ok_or_else(|| Error::Internal(anyhow!("The service is not configured.")))?;
    let route = web.rest.find(request).unwrap_or_else(|| Route::unknown(request.method()));
    request.extensions_mut().insert(route);
    Work::set_lane(route.lane);
    route.operation.map_or(Ok(()), |operation| begin_operation(request.request(), operation, 0))
}
