//! The pages at which people sign in, consent and look after their sessions: a second way in beside the API, over the same
//! use cases. They work without JavaScript.

mod answer;
mod browser;
mod error;
mod form;
mod intent;
mod routes;
mod views;

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use steward_domain::usecases::Steward;

/// What the pages need.
#[derive(Clone)]
pub struct Pages {
    /// The use cases.
    pub steward: Arc<Steward>,
    /// The cookie that names a person's browser: see [`browser_cookie`].
    pub browser_cookie: &'static str,
}

/// The name of the cookie that names a person's browser. Over TLS its prefix makes browsers refuse one that another host
/// or an unprotected connection sets (RFC 6265bis §4.1.3.2).
pub fn browser_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward" } else { "steward" }
}

/// The name of the cookie by which a browser is known to have signed in before.
fn known_browser_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-known" } else { "steward-known" }
}

/// Mounts the pages. They come before the API, which takes every address that nothing before it took.
pub fn configure(app: &mut web::ServiceConfig, pages: &Pages) {
    app.app_data(web::Data::new(pages.clone())).configure(routes::mount);
}

/// Tells a person at a browser what is wrong with the address that they were sent to.
pub fn error_page(status: StatusCode, message: &str) -> HttpResponse {
    error::page(status, "This did not work", message, None)
}
