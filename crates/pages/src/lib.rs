//! Pages on which people sign in, grant consent and manage their sessions, and the console, in which they administer
//! teams and projects. They use the same use cases as the API and work without JavaScript.

mod browser;
mod console;
mod cookie;
mod error;
mod form;
mod intent;
mod invite_details;
mod pages;
mod resource;
mod response;
mod routes;
mod upload;
mod views;

use actix_web::dev::HttpServiceFactory;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, Resource, ResponseError as _, web};
use futures_util::future::{FutureExt as _, LocalBoxFuture};

use crate::error::PageError;
use crate::response::{AllowedOrigins, page_with};

pub use cookie::browser_cookie;
pub use pages::{BeginOperation, Pages, StreamBody};

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
