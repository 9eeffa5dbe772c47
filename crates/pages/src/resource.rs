//! Pages and files as resources of actix-web.

use actix_web::body::MessageBody;
use actix_web::http::Method;
use actix_web::http::header::{ALLOW, CACHE_CONTROL};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder, guard, web};

use crate::error::{PageError, PageResult};

/// The methods of a page that is only read.
const READ_METHODS: &str = "GET, HEAD, OPTIONS";
/// The methods of a page that is shown and submitted.
const FORM_METHODS: &str = "GET, HEAD, POST, OPTIONS";

/// Returns the patterns of a path with and without a trailing slash. Two literal paths cost less per request than a
/// regular expression for both.
fn patterns(path: &str) -> Vec<String> {
    if !path.contains('{') {
        return vec![path.to_owned(), format!("{path}/")];
    }
    // A regular expression that excludes characters other than ASCII takes a fraction of the memory, and each worker
    // has its own. No parameter of a page that exists contains others.
    vec![format!("{}{{slash:/?}}", path.replace('}', ":[!-.0-~]+}"))]
}

/// Returns a page that is shown by GET and submitted by POST, with and without a trailing slash.
pub(crate) fn form<S, A, T, B>(path: &str, show: S, submit: T) -> Vec<Resource>
where
    S: Handler<A>,
    A: FromRequest + 'static,
    S::Output: Responder + 'static,
    T: Handler<B>,
    B: FromRequest + 'static,
    T::Output: Responder + 'static,
{
    let resources = page(path, show).into_iter().map(|page| {
        page.route(web::method(Method::POST).to(submit.clone()))
            .default_service(web::to(|request| other_method(request, FORM_METHODS)))
    });
    resources.collect()
}

/// Returns a page that is only read, with and without a trailing slash.
pub(crate) fn page<S, A>(path: &str, show: S) -> Vec<Resource>
where
    S: Handler<A>,
    A: FromRequest + 'static,
    S::Output: Responder + 'static,
{
    let resources = patterns(path).into_iter().map(|path| {
        let is_read = guard::Any(guard::Get()).or(guard::Head());
        web::resource(path)
            .route(web::route().guard(is_read).to(show.clone()))
            .default_service(web::to(|request| other_method(request, READ_METHODS)))
    });
    resources.collect()
}

/// Returns the methods of a page, or refuses a method that it does not have.
async fn other_method(request: HttpRequest, allowed: &'static str) -> PageResult {
    match *request.method() {
        Method::OPTIONS => Ok(HttpResponse::NoContent().insert_header((ALLOW, allowed)).finish()),
        _ => Err(PageError::OtherMethod { allowed }),
    }
}

pub(crate) fn asset(media_type: &str, text: impl MessageBody + 'static) -> HttpResponse {
    HttpResponse::Ok().content_type(media_type).insert_header((CACHE_CONTROL, "public, max-age=3600")).body(text)
}
