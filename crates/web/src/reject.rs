//! Responses to requests that are rejected before or instead of their handlers.

use actix_web::http::header::RETRY_AFTER;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::accept::accepts_html;
use crate::cors::set_cors_headers;
use crate::rejection::Rejection;
use crate::route::route_of;
use crate::shared::Web;

/// Returns the response to a rejected request: a page if a browser shows it, else JSON. It has the headers for scripts
/// of other origins, because a request can be rejected outside of the middleware that adds them.
pub(crate) fn reject(request: &HttpRequest, rejection: impl Into<Rejection>) -> HttpResponse {
    let rejection = rejection.into();
    let mut response = match request.app_data::<web::Data<Web>>() {
        Some(web) => {
            let is_opened = route_of(request).is_none_or(|route| route.is_opened) && accepts_html(request.headers());
            web.rest.rejection(request, is_opened.then_some(&*web.pages), rejection)
        }
        // Without the sides of the service, there is nothing that words the error.
        None => HttpResponse::build(rejection.status()).insert_header((RETRY_AFTER, "1")).finish(),
    };
    set_cors_headers(request, response.headers_mut());
    response
}
