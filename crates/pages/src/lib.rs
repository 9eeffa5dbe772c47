//! Pages on which people sign in, grant consent and manage their sessions, and the console, in which they administer
//! teams and projects. They use the same use cases as the API and work without JavaScript.

mod browser;
mod console;
mod cookie;
mod error;
mod form;
mod intent;
mod response;
mod routes;
mod upload;
mod views;

use std::sync::Arc;

use actix_web::dev::HttpServiceFactory;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, Resource, ResponseError as _, web};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::error::Error;
use steward_domain::policy::Operation;
use steward_domain::usecases::Steward;

use crate::error::PageError;
use crate::response::{AllowedOrigins, page_with};

/// Counts an operation that a page is about to perform against the rate limit of its caller, with the number of
/// operations of a batch, and gives the request the time of the operation.
pub type BeginOperation = fn(&HttpRequest, Operation, usize) -> Result<(), Error>;

/// Gives a request time as long as its body arrives, and counts a fixed amount of memory for it, because the page stores
/// the body as it arrives. Fails if that memory is not available.
pub type StreamBody = fn(&HttpRequest) -> Result<(), Error>;

/// Dependencies of the pages.
#[derive(Clone)]
pub struct Pages {
    /// Use cases that the pages run.
    pub steward: Arc<Steward>,
    /// Name of the cookie that identifies a browser. See [`browser_cookie`].
    pub browser_cookie: &'static str,
    /// Whether webhooks and logout tokens may be sent to private networks.
    pub allow_private_webhooks: bool,
    /// Applies the limits of the API to operations that cost more than a request.
    pub begin_operation: BeginOperation,
    /// Allows a page to receive a body of any size.
    pub stream_body: StreamBody,
}

impl Pages {
    /// Returns the page at `/`: the landing page, or the home of a person who is signed in. Requires [`configure`].
    pub fn home_page(request: HttpRequest) -> LocalBoxFuture<'static, HttpResponse> {
        async move { console::home(&request).await.unwrap_or_else(|error| error.error_response()) }.boxed_local()
    }

    /// Returns a page that shows an error of the API to a person in a browser.
    pub fn error_page(&self, status: StatusCode, message: &str) -> HttpResponse {
        let title = match status {
            StatusCode::NOT_FOUND => "Page not found",
            StatusCode::METHOD_NOT_ALLOWED => "There is no page at this address",
            status if status.is_server_error() => return error::page(status, "Something went wrong", message, None),
            status => return error::page(status, "The request failed", message, None),
        };
        let view = views::NoPage { title, message, accepts_sign_ups: self.steward.accounts.accepts_sign_ups() };
        let page = page_with(status, &view, &AllowedOrigins::default());
        page.unwrap_or_else(|error| PageError::from(error).error_response())
    }
}

/// Returns the name of the cookie that identifies a browser. With TLS, its prefix makes browsers reject a cookie that
/// is set by another host or over an insecure connection (RFC 6265bis §4.1.3.2).
pub fn browser_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward" } else { "steward" }
}

/// Returns the name of the cookie that identifies a browser that has signed in before.
fn known_browser_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-known" } else { "steward-known" }
}

/// Returns the name of the cookie with the message about the last action in the console.
fn flash_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-flash" } else { "steward-flash" }
}

/// Mounts the pages, each with the middleware that `wrap` adds. Call it before mounting the API, which handles all
/// remaining paths.
pub fn configure<S>(app: &mut web::ServiceConfig, pages: &Pages, wrap: impl Fn(Resource) -> S)
where
    S: HttpServiceFactory + 'static,
{
    app.app_data(web::Data::new(pages.clone()));
    for page in routes::all() {
        app.service(wrap(page));
    }
    console::configure(app, wrap);
}
