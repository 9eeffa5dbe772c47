//! Responses to requests that are rejected before or instead of their handlers.

use actix_web::http::header::{ACCEPT, HeaderMap, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::frame::frame;
use crate::rejection::Rejection;
use crate::shared::Web;

/// Returns the response to a rejected request: a page if a browser shows it, else JSON.
pub(crate) fn reject(request: &HttpRequest, rejection: impl Into<Rejection>) -> HttpResponse {
    let rejection = rejection.into();
    match request.app_data::<web::Data<Web>>() {
        Some(web) => {
            let is_opened = frame(request).route.is_opened && accepts_html(request.headers());
            web.rest.rejection(request, is_opened.then_some(&*web.pages), rejection)
        }
        // Without the sides of the service, there is nothing that words the error.
        None => HttpResponse::ServiceUnavailable().insert_header((RETRY_AFTER, "1")).finish(),
    }
}

/// Returns whether the client accepts HTML, as browsers do.
pub fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}
