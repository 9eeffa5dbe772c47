//! Responses to a browser: pages, which must not be framed, cached or extended with other content, and redirects.

use actix_web::HttpResponse;
use actix_web::cookie::{Cookie, SameSite, time};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, LOCATION, REFERRER_POLICY, VARY, X_FRAME_OPTIONS,
};
use askama::Template;
use steward_domain::error::Error;
use steward_domain::model::{KNOWN_BROWSER_TTL, SESSION_TTL, Secret};
use url::Url;

use crate::browser::Browser;
use crate::error::PageError;
use crate::{Pages, known_browser_cookie};

/// What a page may use from other origins.
#[derive(Default)]
pub(crate) struct AllowedOrigins<'a> {
    /// Whether its form redirects to a client. Browsers apply `form-action` to every redirect of a form, including
    /// those of the client, which are not known here. Such a page therefore has no `form-action`.
    pub form: bool,
    /// URLs of the images that it shows.
    pub images: Vec<&'a str>,
}

/// Returns a page.
pub(crate) fn page(view: &impl Template) -> Result<HttpResponse, PageError> {
    page_with(StatusCode::OK, view, &AllowedOrigins::default())
}

/// Returns a page with a status and the other origins that it may use.
pub(crate) fn page_with(
    status: StatusCode,
    view: &impl Template,
    allowed: &AllowedOrigins<'_>,
) -> Result<HttpResponse, PageError> {
    let html = view.render().map_err(|error| Error::Internal(error.into()))?;
    Ok(HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((CONTENT_SECURITY_POLICY, policy(allowed)))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((VARY, "Cookie"))
        .body(html))
}

fn policy(allowed: &AllowedOrigins<'_>) -> String {
    let images: String = allowed.images.iter().filter_map(|image| source(image)).collect();
    let form = if allowed.form { "" } else { " form-action 'self';" };
    format!(
        "default-src 'none'; style-src 'self'; img-src 'self'{images};{form} base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Returns the origin of an image as a source for the policy, or `None` if it would end the directive.
fn source(image: &str) -> Option<String> {
    let origin = Url::parse(image).ok().filter(Url::has_host)?.origin().ascii_serialization();
    let plain = origin.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.:/[]".contains(&b));
    plain.then(|| format!(" {origin}"))
}

/// Redirects to a URL with GET (RFC 9700 §4.12 warns against other redirect statuses).
pub(crate) fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, address))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .finish()
}

/// Adds the cookie that identifies the browser by this token.
pub(crate) fn with_browser(
    pages: &Pages,
    mut response: HttpResponse,
    token: &Secret,
) -> Result<HttpResponse, PageError> {
    let max_age = time::Duration::seconds(SESSION_TTL.num_seconds());
    let cookie = cookie(pages, token.expose().to_owned()).max_age(max_age).finish();
    response.add_cookie(&cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok(response)
}

/// Adds the cookie of [`Browser::remembered`]. It outlives the session.
pub(crate) fn with_known_browser(
    browser: &Browser,
    mut response: HttpResponse,
    known: &Secret,
) -> Result<HttpResponse, PageError> {
    let steward = &browser.pages.steward;
    let cookie = cookie(&browser.pages, known.expose().to_owned());
    let mut cookie = cookie.max_age(time::Duration::seconds(KNOWN_BROWSER_TTL.num_seconds())).finish();
    cookie.set_name(known_browser_cookie(steward.address.is_https()));
    response.add_cookie(&cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok(response)
}

/// Header that makes the browser delete stored data (Clear Site Data §3.1).
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// Deletes the browser's cookie, and the cached pages that it would show again on going back.
pub(crate) fn without_browser(pages: &Pages, mut response: HttpResponse) -> Result<HttpResponse, PageError> {
    response.headers_mut().insert(CLEAR_SITE_DATA, HeaderValue::from_static("\"cache\""));
    let cookie = cookie(pages, String::new()).max_age(time::Duration::ZERO).finish();
    response.add_cookie(&cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok(response)
}

fn cookie(pages: &Pages, value: String) -> actix_web::cookie::CookieBuilder<'static> {
    Cookie::build(pages.browser_cookie, value)
        .path("/")
        .http_only(true)
        .secure(pages.steward.address.is_https())
        .same_site(SameSite::Lax)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_adds_its_origin_to_the_policy_and_nothing_else() {
        let with = |image| policy(&AllowedOrigins { form: false, images: vec![image] });
        assert!(with("https://cdn.example:8443/i.png").contains("img-src 'self' https://cdn.example:8443;"));
        for hostile in ["https://x;sandbox/i.png", "https://x,y/i.png", "javascript:alert(1)", "x"] {
            assert_eq!(with(hostile), policy(&AllowedOrigins::default()), "{hostile}");
        }
    }
}
