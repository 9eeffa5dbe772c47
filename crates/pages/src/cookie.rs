//! The cookies that identify a browser.

use actix_web::HttpResponse;
use actix_web::cookie::{Cookie, CookieBuilder, SameSite, time};
use actix_web::http::header::{HeaderName, HeaderValue};
use steward_domain::error::Error;
use steward_domain::model::{KNOWN_BROWSER_TTL, SESSION_TTL, Secret};

use crate::{Pages, known_browser_cookie};

/// Adds the cookie that identifies the browser by this token.
pub(crate) fn with_browser(pages: &Pages, mut response: HttpResponse, token: &Secret) -> Result<HttpResponse, Error> {
    let max_age = time::Duration::seconds(SESSION_TTL.num_seconds());
    let cookie = cookie(pages, token.expose().to_owned()).max_age(max_age).finish();
    response.add_cookie(&cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok(response)
}

/// Adds the cookie that lists the accounts that signed in here before. It outlives the session.
pub(crate) fn with_known_browser(
    pages: &Pages,
    mut response: HttpResponse,
    known: &Secret,
) -> Result<HttpResponse, Error> {
    let cookie = cookie(pages, known.expose().to_owned());
    let mut cookie = cookie.max_age(time::Duration::seconds(KNOWN_BROWSER_TTL.num_seconds())).finish();
    cookie.set_name(known_browser_cookie(pages.steward.address.is_https()));
    response.add_cookie(&cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok(response)
}

/// Header that makes the browser delete stored data (Clear Site Data §3.1).
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// Deletes the browser's cookie, and the cached pages that it would show again on going back.
pub(crate) fn without_browser(pages: &Pages, mut response: HttpResponse) -> Result<HttpResponse, Error> {
    response.headers_mut().insert(CLEAR_SITE_DATA, HeaderValue::from_static("\"cache\""));
    let cookie = cookie(pages, String::new()).max_age(time::Duration::ZERO).finish();
    response.add_cookie(&cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok(response)
}

fn cookie(pages: &Pages, value: String) -> CookieBuilder<'static> {
    Cookie::build(pages.browser_cookie, value)
        .path("/")
        .http_only(true)
        .secure(pages.steward.address.is_https())
        .same_site(SameSite::Lax)
}
