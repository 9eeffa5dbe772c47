//! Pages on which people sign in, grant consent and manage their sessions, and the console, in which they administer
//! teams and projects. They use the same use cases as the API and work without JavaScript, except for passkeys.

mod brand;
mod console;
mod docs;
mod email;
mod error;
mod form_post;
mod held;
mod intent;
mod invite_details;
mod page;
mod pages;
mod request;
mod resource;
mod response;
mod routes;
mod side;
mod tab;
mod views;
mod wording;

use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::guard::{GuardContext, fn_guard};
use actix_web::middleware::from_fn;
use actix_web::{Error, web};
use steward_domain::kernel::policy::{Conditions, Operation};
use steward_web::{Frame, RateClass, limit_time};

use crate::side::for_reader;

pub use docs::Framework;
pub use docs::files as docs_files;
pub use email::compose as compose_email;
pub use pages::Pages;
pub use request::cookie::browser_cookie;

/// Returns the paths of all pages, with parameters like `{team}`.
pub fn paths() -> impl Iterator<Item = &'static str> {
    console::PAGES.iter().chain(routes::PAGES).map(|page| page.path)
}

/// Returns the conditions that the account of a person must meet to use each page, with its path.
pub fn conditions() -> impl Iterator<Item = (&'static str, Conditions)> {
    console::PAGES.iter().chain(routes::PAGES).map(|page| (page.path, page.conditions))
}

/// Returns the operation that the form of each page of the console submits, with the path of the page. The forms of pages
/// that are only read, and costly ones, are not among them.
pub fn forms() -> impl Iterator<Item = (&'static str, Operation)> {
    console::PAGES.iter().filter(|page| page.rate == RateClass::Writes).map(|page| (page.path, page.operation))
}

/// Mounts the pages. Call it before mounting the API, which handles all remaining paths. `api` serves the requests that
/// forms of the documentation describe.
pub fn configure<A>(app: &mut web::ServiceConfig, pages: &Pages, api: A)
where
    A: ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse, Error = Error, InitError = ()> + 'static,
{
    app.app_data(web::Data::new(pages.clone()));
    // So that requests to the API are not compared with the path of each page.
    let is_unserved = |context: &GuardContext<'_>| {
        let known = context.req_data();
        known.get::<Frame>().is_none_or(|frame| frame.route.handler.is_none())
    };
    let scope = web::scope("").guard(fn_guard(is_unserved)).configure(|scope| {
        for page in routes::all(pages) {
            scope.service(page.wrap(from_fn(for_reader)).wrap(from_fn(limit_time)));
        }
        scope.service(docs::forms(api)).service(docs::scope());
        console::configure(scope);
    });
    app.service(scope);
}
