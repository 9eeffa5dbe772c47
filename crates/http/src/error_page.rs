//! Errors as pages, for people who open an address in a browser.

use actix_web::http::Method;
use actix_web::http::header::{HeaderValue, VARY};
use actix_web::{HttpRequest, HttpResponse, ResponseError as _, web};
use steward_web::{PageSide, Web, accepts_html};

use crate::error::ApiError;

/// Returns the page of an error.
pub(crate) fn page(request: &HttpRequest, pages: &dyn PageSide, error: &ApiError) -> HttpResponse {
    error.complete(pages.error_page(request, error.status(), &error.to_string()))
}

/// Returns the response to a request that no handler serves: a page if a browser opens the address, or else JSON.
pub(crate) fn page_or_json(request: &HttpRequest, error: &ApiError) -> HttpResponse {
    let is_opened = matches!(*request.method(), Method::GET | Method::HEAD) && accepts_html(request.headers());
    let mut response = match request.app_data::<web::Data<Web>>().filter(|_| is_opened) {
        Some(web) => page(request, &*web.pages, error),
        None => error.error_response(),
    };
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    response
}
