//! Pages on which people sign in, grant consent and manage their sessions. They use the same use cases as the API and
//! work without JavaScript.

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

/// Dependencies of the pages.
#[derive(Clone)]
pub struct Pages {
    /// Use cases that the pages run.
    pub steward: Arc<Steward>,
    /// Name of the cookie that identifies a browser. See [`browser_cookie`].
    pub browser_cookie: &'static str,
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

/// Mounts the pages. Call it before mounting the API, which handles all remaining paths.
pub fn configure(app: &mut web::ServiceConfig, pages: &Pages) {
    app.app_data(web::Data::new(pages.clone())).configure(routes::mount);
}

/// Returns a page that shows an error of the API to a person in a browser.
pub fn error_page(status: StatusCode, message: &str) -> HttpResponse {
    error::page(status, "The request failed", message, None)
}
