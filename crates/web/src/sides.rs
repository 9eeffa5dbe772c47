//! What this crate and the two sides of the service require of each other: the REST API and the pages. Neither side
//! depends on the other one.

use actix_web::dev::ServiceRequest;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use futures_util::future::LocalBoxFuture;
use steward_domain::identity::FormPost;

use crate::rejection::Rejection;
use crate::route::Route;

/// The REST API.
pub trait RestSide: Send + Sync {
    /// Returns what is known about a request, if it is one of the API.
    fn find(&self, request: &ServiceRequest) -> Option<Route>;

    /// Returns the response to a rejected request: a page of [`PageSide::error_page`] or JSON.
    fn rejection(&self, request: &HttpRequest, pages: Option<&dyn PageSide>, rejection: Rejection) -> HttpResponse;
}

/// The pages.
pub trait PageSide: Send + Sync {
    /// Returns what is known about a request, if it is for a page.
    fn find(&self, request: &ServiceRequest) -> Option<Route>;

    /// Returns the page at `/`: the landing page, or the home of a person who is signed in.
    fn home_page(&self, request: HttpRequest) -> LocalBoxFuture<'static, HttpResponse>;

    /// Returns the first page of the documentation.
    fn docs_home(&self, request: &HttpRequest) -> HttpResponse;

    /// Returns a page with a form that the browser posts to a client.
    fn form_post(&self, request: &HttpRequest, form: &FormPost) -> HttpResponse;

    /// Returns a page that shows an error to a person in a browser.
    fn error_page(&self, request: &HttpRequest, status: StatusCode, message: &str) -> HttpResponse;
}
