//! Pages and files as resources of actix-web.

use actix_web::http::Method;
use actix_web::http::header::{ALLOW, CACHE_CONTROL};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder, guard, web};

use crate::error::PageError;

/// The methods of a page that is only read.
const READ_METHODS: &str = "GET, HEAD, OPTIONS";
/// The methods of a page that is shown and submitted.
const FORM_METHODS: &str = "GET, HEAD, POST, OPTIONS";

/// Returns a page that is shown by GET and submitted by POST, with and without a trailing slash. Each path is a
/// separate resource, because two literal paths cost less per request than the regular expression that actix-web builds
/// for both.
pub(crate) fn form<S, A, T, B>(path: &str, show: S, submit: T) -> [Resource; 2]
where
    S: Handler<A>,
    A: FromRequest + 'static,
    S::Output: Responder + 'static,
    T: Handler<B>,
    B: FromRequest + 'static,
    T::Output: Responder + 'static,
{
    [path.to_owned(), format!("{path}/")].map(|path| {
        let is_read = guard::Any(guard::Get()).or(guard::Head());
        web::resource(path)
            .route(web::route().guard(is_read).to(show.clone()))
            .route(web::method(Method::POST).to(submit.clone()))
            .default_service(web::to(|request| other_method(request, FORM_METHODS)))
    })
}

/// Returns a page that is only read, with and without a trailing slash.
pub(crate) fn page<S, A>(path: &str, show: S) -> [Resource; 2]
where
    S: Handler<A>,
    A: FromRequest + 'static,
    S::Output: Responder + 'static,
{
    [path.to_owned(), format!("{path}/")].map(|path| {
        let is_read = guard::Any(guard::Get()).or(guard::Head());
        web::resource(path)
            .route(web::route().guard(is_read).to(show.clone()))
            .default_service(web::to(|request| other_method(request, READ_METHODS)))
    })
}

/// Returns the methods of a page, or refuses a method that it does not have.
async fn other_method(request: HttpRequest, allowed: &'static str) -> Result<HttpResponse, PageError> {
    match *request.method() {
        Method::OPTIONS => Ok(HttpResponse::NoContent().insert_header((ALLOW, allowed)).finish()),
        _ => Err(PageError::OtherMethod { allowed }),
    }
}

pub(crate) fn asset(media_type: &str, text: &'static str) -> HttpResponse {
    HttpResponse::Ok().content_type(media_type).insert_header((CACHE_CONTROL, "public, max-age=3600")).body(text)
}
