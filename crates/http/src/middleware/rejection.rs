//! Responses to requests that are rejected before or instead of their handlers.

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, web};
use steward_domain::policy::Operation;

use crate::Api;
use crate::endpoint::endpoint_of;
use crate::error::ApiError;
use crate::error_page;
use crate::extract::accept::accepts_html;
use crate::middleware::cors::set_cors_headers;

/// Returns the response to a rejected request: a page if a browser shows it, else JSON. It has the headers for scripts
/// of other origins, because a request can be rejected outside of the middleware that adds them.
pub(crate) fn rejection(request: &HttpRequest, error: &ApiError) -> HttpResponse {
    let operation = endpoint_of(request).and_then(|endpoint| endpoint.operation(request.method()));
    let is_page = operation
        .is_none_or(|operation| matches!(operation, Operation::Authorize | Operation::AuthorizePost))
        && accepts_html(request.headers());
    let api = request.app_data::<web::Data<Api>>().filter(|_| is_page);
    let mut response = match api {
        Some(api) => error_page::page(api, error),
        None => error.error_response(),
    };
    set_cors_headers(response.headers_mut());
    response
}
