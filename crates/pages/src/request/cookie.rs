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

/// A cookie that only this service reads.
pub(crate) struct PageCookie {
    name: &'static str,
    /// The name with TLS. Its prefix makes browsers reject a cookie that is set by another host or over an insecure
    /// connection (RFC 6265bis §4.1.3.2).
    name_with_tls: &'static str,
    /// After how many seconds the browser deletes it.
    seconds: i64,
}

/// Identifies a browser that has signed in before: lists the accounts. It outlives the session.
pub(crate) const KNOWN_BROWSER: PageCookie =
    PageCookie::new("steward-known", "__Host-steward-known", KNOWN_BROWSER_TTL.num_seconds());
/// A sign-in that waits for the second factor.
pub(crate) const PENDING_SIGN_IN: PageCookie =
    PageCookie::new("steward-pending", "__Host-steward-pending", PENDING_SIGN_IN_TTL.num_seconds());
/// With it, the browser enters the code of an email.
pub(crate) const EMAIL_CODE: PageCookie =
    PageCookie::new("steward-code", "__Host-steward-code", EMAIL_CODE_TTL.num_seconds());
/// The request of a device, whose code was entered in this browser.
pub(crate) const DEVICE_REQUEST: PageCookie =
    PageCookie::new("steward-device", "__Host-steward-device", AUTHORIZATION_TTL.num_seconds());
/// An identity that waits for the person to sign in to its account.
pub(crate) const IDENTITY: PageCookie =
    PageCookie::new("steward-identity", "__Host-steward-identity", PROVIDER_SIGN_IN_TTL.num_seconds());
/// The project that the samples of the documentation are for.
pub(crate) const DOCS_PROJECT: PageCookie =
    PageCookie::new("steward-docs-project", "__Host-steward-docs-project", 30 * 24 * 60 * 60);
/// The message about the last action in the console, which waits for the next page. It MUST NOT contain secrets.
pub(crate) const FLASH: PageCookie = PageCookie::new("steward-flash", "__Host-steward-flash", 60);

impl PageCookie {
    const fn new(name: &'static str, name_with_tls: &'static str, seconds: i64) -> Self {
        Self { name, name_with_tls, seconds }
    }

    fn name(&self, pages: &Pages) -> &'static str {
        if is_https(pages) { self.name_with_tls } else { self.name }
    }

    /// Returns the value that a request contains.
    pub(crate) fn read(&self, pages: &Pages, request: &HttpRequest) -> Option<String> {
        request.cookie(self.name(pages)).map(|cookie| cookie.value().to_owned())
    }

    /// Returns the cookie with a value.
    pub(crate) fn with_value(&self, pages: &Pages, value: &str) -> Cookie<'static> {
        cookie(pages, self.name(pages), value, self.seconds)
    }

    /// Adds the cookie to a response.
    pub(crate) fn set(&self, pages: &Pages, response: HttpResponse, value: &str) -> Result<HttpResponse, Error> {
        with_cookie(response, self.with_value(pages, value))
    }

    /// Makes the browser delete the cookie.
    pub(crate) fn delete(&self, pages: &Pages, response: HttpResponse) -> Result<HttpResponse, Error> {
        with_cookie(response, cookie(pages, self.name(pages), "", 0))
    }
}

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

/// Adds the cookie with a message for the next page. It MUST NOT contain secrets.
pub(crate) fn with_flash(pages: &Pages, response: HttpResponse, message: &str) -> Result<HttpResponse, Error> {
    let message: String = message.chars().take(MAX_FLASH_CHARS).collect();
    let value: String = form_urlencoded::byte_serialize(message.as_bytes()).collect();
    FLASH.set(pages, response, &value)
}

/// Returns the message for this page, if the request has one.
pub(crate) fn flash(pages: &Pages, request: &HttpRequest) -> Option<String> {
    let value = FLASH.read(pages, request)?;
    let decoded = form_urlencoded::parse(value.as_bytes()).next()?.0.into_owned();
    let message: String = decoded.chars().filter(|c| !is_control(*c)).take(MAX_FLASH_CHARS).collect();
    (!message.is_empty()).then_some(message)
}

/// Header that makes the browser delete stored data (Clear Site Data §3.1).
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// Deletes the browser's cookie, and the cached pages that it would show again on going back.
pub(crate) fn without_browser(pages: &Pages, mut response: HttpResponse) -> Result<HttpResponse, Error> {
    response.headers_mut().insert(CLEAR_SITE_DATA, HeaderValue::from_static("\"cache\""));
    with_cookie(response, cookie(pages, pages.browser_cookie, "", 0))
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
