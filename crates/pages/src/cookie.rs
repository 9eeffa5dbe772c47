//! The cookies that identify a browser.

use actix_web::cookie::{Cookie, SameSite, time};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::identity::{
    AUTHORIZATION_TTL, EMAIL_CODE_TTL, KNOWN_BROWSER_TTL, PENDING_SIGN_IN_TTL, PROVIDER_SIGN_IN_TTL,
};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Secret, is_control};
use url::form_urlencoded;

use crate::Pages;

/// Adds the cookie that identifies the browser by this token.
pub(crate) fn with_browser(pages: &Pages, response: HttpResponse, token: &Secret) -> Result<HttpResponse, Error> {
    with_cookie(response, of_browser(pages, token))
}

/// Returns the cookie that identifies the browser by this token.
pub(crate) fn of_browser(pages: &Pages, token: &Secret) -> Cookie<'static> {
    cookie(pages, pages.browser_cookie, token.expose(), pages.steward.sessions.total_lifetime().num_seconds())
}

/// Maximum length of a message about the last action, in characters.
const MAX_FLASH_CHARS: usize = 200;
/// How long the message waits for the next page, in seconds.
const FLASH_TTL: i64 = 60;

/// Adds the cookie with a message for the next page. It MUST NOT contain secrets.
pub(crate) fn with_flash(pages: &Pages, response: HttpResponse, message: &str) -> Result<HttpResponse, Error> {
    let message: String = message.chars().take(MAX_FLASH_CHARS).collect();
    let value: String = form_urlencoded::byte_serialize(message.as_bytes()).collect();
    with_cookie(response, cookie(pages, flash_cookie(is_https(pages)), &value, FLASH_TTL))
}

/// Deletes the cookie with the message, which the page shows.
pub(crate) fn without_flash(pages: &Pages, response: HttpResponse) -> Result<HttpResponse, Error> {
    without_cookie(pages, response, flash_cookie(is_https(pages)))
}

/// Returns the message for this page, if the request has one.
pub(crate) fn flash(pages: &Pages, request: &HttpRequest) -> Option<String> {
    let cookie = request.cookie(flash_cookie(is_https(pages)))?;
    let decoded = form_urlencoded::parse(cookie.value().as_bytes()).next()?.0.into_owned();
    let message: String = decoded.chars().filter(|c| !is_control(*c)).take(MAX_FLASH_CHARS).collect();
    (!message.is_empty()).then_some(message)
}

/// How long a browser remembers the project of the documentation, in seconds.
const DOCS_PROJECT_TTL: i64 = 30 * 24 * 60 * 60;

/// Adds the cookie with the project that the samples of the documentation are for.
pub(crate) fn with_docs_project(pages: &Pages, response: HttpResponse, project: &str) -> Result<HttpResponse, Error> {
    with_cookie(response, cookie(pages, docs_project_cookie(is_https(pages)), project, DOCS_PROJECT_TTL))
}

/// Returns the project that the samples of the documentation are for.
pub(crate) fn docs_project(pages: &Pages, request: &HttpRequest) -> Option<String> {
    request.cookie(docs_project_cookie(is_https(pages))).map(|cookie| cookie.value().to_owned())
}

/// Adds the cookie that lists the accounts that signed in here before. It outlives the session.
pub(crate) fn with_known_browser(pages: &Pages, response: HttpResponse, known: &Secret) -> Result<HttpResponse, Error> {
    with_cookie(response, of_known_browser(pages, known))
}

/// Returns the cookie that lists the accounts that signed in here before.
pub(crate) fn of_known_browser(pages: &Pages, known: &Secret) -> Cookie<'static> {
    cookie(pages, known_browser_cookie(is_https(pages)), known.expose(), KNOWN_BROWSER_TTL.num_seconds())
}

/// Adds the cookie of a sign-in that waits for the second factor.
pub(crate) fn with_pending_sign_in(
    pages: &Pages,
    response: HttpResponse,
    pending: &Secret,
) -> Result<HttpResponse, Error> {
    let name = pending_sign_in_cookie(is_https(pages));
    with_cookie(response, cookie(pages, name, pending.expose(), PENDING_SIGN_IN_TTL.num_seconds()))
}

/// Deletes the cookie of a sign-in that is complete.
pub(crate) fn without_pending_sign_in(pages: &Pages, response: HttpResponse) -> Result<HttpResponse, Error> {
    without_cookie(pages, response, pending_sign_in_cookie(is_https(pages)))
}

/// Adds the cookie with which the browser enters the code of an email.
pub(crate) fn with_email_code(pages: &Pages, response: HttpResponse, sent: &Secret) -> Result<HttpResponse, Error> {
    let name = email_code_cookie(is_https(pages));
    with_cookie(response, cookie(pages, name, sent.expose(), EMAIL_CODE_TTL.num_seconds()))
}

/// Deletes the cookie of a code that was used.
pub(crate) fn without_email_code(pages: &Pages, response: HttpResponse) -> Result<HttpResponse, Error> {
    without_cookie(pages, response, email_code_cookie(is_https(pages)))
}

/// Adds the cookie of the request of a device, whose code was entered in this browser.
pub(crate) fn with_device_request(pages: &Pages, response: HttpResponse, id: &Secret) -> Result<HttpResponse, Error> {
    let name = device_request_cookie(is_https(pages));
    with_cookie(response, cookie(pages, name, id.expose(), AUTHORIZATION_TTL.num_seconds()))
}

/// Adds the cookie of an identity that waits for the person to sign in to its account.
pub(crate) fn with_identity(pages: &Pages, response: HttpResponse, identity: &Secret) -> Result<HttpResponse, Error> {
    let name = identity_cookie(is_https(pages));
    with_cookie(response, cookie(pages, name, identity.expose(), PROVIDER_SIGN_IN_TTL.num_seconds()))
}

/// Deletes the cookie of an identity that waits no longer.
pub(crate) fn without_identity(pages: &Pages, response: HttpResponse) -> Result<HttpResponse, Error> {
    without_cookie(pages, response, identity_cookie(is_https(pages)))
}

/// Header that makes the browser delete stored data (Clear Site Data §3.1).
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// Deletes the browser's cookie, and the cached pages that it would show again on going back.
pub(crate) fn without_browser(pages: &Pages, mut response: HttpResponse) -> Result<HttpResponse, Error> {
    response.headers_mut().insert(CLEAR_SITE_DATA, HeaderValue::from_static("\"cache\""));
    without_cookie(pages, response, pages.browser_cookie)
}

fn without_cookie(pages: &Pages, response: HttpResponse, name: &'static str) -> Result<HttpResponse, Error> {
    with_cookie(response, cookie(pages, name, "", 0))
}

fn with_cookie(mut response: HttpResponse, cookie: Cookie<'static>) -> Result<HttpResponse, Error> {
    response.add_cookie(&cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok(response)
}

/// Returns a cookie that the browser deletes after `ttl` seconds.
fn cookie(pages: &Pages, name: &'static str, value: &str, ttl: i64) -> Cookie<'static> {
    Cookie::build(name, value.to_owned())
        .path("/")
        .http_only(true)
        .secure(is_https(pages))
        .same_site(SameSite::Lax)
        .max_age(time::Duration::seconds(ttl))
        .finish()
}

fn is_https(pages: &Pages) -> bool {
    pages.steward.address.is_https()
}

/// Returns the name of the cookie that identifies a browser. With TLS, its prefix makes browsers reject a cookie that
/// is set by another host or over an insecure connection (RFC 6265bis §4.1.3.2).
pub fn browser_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward" } else { "steward" }
}

/// Returns the name of the cookie that identifies a browser that has signed in before.
pub(crate) fn known_browser_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-known" } else { "steward-known" }
}

/// Returns the name of the cookie with which the browser enters the code of an email.
pub(crate) fn email_code_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-code" } else { "steward-code" }
}

/// Returns the name of the cookie of the request of a device.
pub(crate) fn device_request_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-device" } else { "steward-device" }
}

/// Returns the name of the cookie of an identity that waits for the person to sign in to its account.
pub(crate) fn identity_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-identity" } else { "steward-identity" }
}

/// Returns the name of the cookie of a sign-in that waits for the second factor.
pub(crate) fn pending_sign_in_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-pending" } else { "steward-pending" }
}

/// Returns the name of the cookie with the message about the last action in the console.
fn flash_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-flash" } else { "steward-flash" }
}

/// Returns the name of the cookie with the project that the samples of the documentation are for.
fn docs_project_cookie(is_https: bool) -> &'static str {
    if is_https { "__Host-steward-docs-project" } else { "steward-docs-project" }
}
