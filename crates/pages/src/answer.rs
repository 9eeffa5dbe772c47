//! Answers to a browser: pages that nothing may frame, keep or add to, and redirects.

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

/// What of other origins a page may use.
#[derive(Default)]
pub(crate) struct AllowedOrigins<'a> {
    /// Whether its form ends at a client. Browsers hold every further redirect of a form against the same policy, the
    /// client's own ones too, which nobody here knows: such a page says nothing of where its form may lead.
    pub form: bool,
    /// Images that it shows.
    pub images: Vec<&'a str>,
}

/// A page.
pub(crate) fn page(view: &impl Template) -> Result<HttpResponse, PageError> {
    page_with(StatusCode::OK, view, &AllowedOrigins::default())
}

/// A page with a status of its own, and what it may use of other origins.
pub(crate) fn page_with(
    status: StatusCode,
    view: &impl Template,
    elsewhere: &AllowedOrigins<'_>,
) -> Result<HttpResponse, PageError> {
    let html = view.render().map_err(|error| Error::Internal(error.into()))?;
    Ok(HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((CONTENT_SECURITY_POLICY, policy(elsewhere)))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((VARY, "Cookie"))
        .body(html))
}

fn policy(elsewhere: &AllowedOrigins<'_>) -> String {
    let images: String = elsewhere.images.iter().filter_map(|image| source(image)).collect();
    let form = if elsewhere.form { "" } else { " form-action 'self';" };
    format!(
        "default-src 'none'; style-src 'self'; img-src 'self'{images};{form} base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The origin of an image as a source of the policy. One that would end the directive is left out.
fn source(image: &str) -> Option<String> {
    let origin = Url::parse(image).ok().filter(Url::has_host)?.origin().ascii_serialization();
    let plain = origin.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.:/[]".contains(&b));
    plain.then(|| format!(" {origin}"))
}

/// On to another address, by GET (RFC 9700 §4.12 warns of any other status).
pub(crate) fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, address))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .finish()
}

/// The answer, with the browser known by this token from now on.
pub(crate) fn with_browser(
    pages: &Pages,
    mut response: HttpResponse,
    token: &Secret,
) -> Result<HttpResponse, PageError> {
    let lasts = time::Duration::seconds(SESSION_TTL.num_seconds());
    let cookie = cookie(pages, token.expose().to_owned()).max_age(lasts).finish();
    response.add_cookie(&cookie).map_err(|error| Error::Internal(error.into()))?;
    Ok(response)
}

/// The answer, with the cookie of [`Browser::remembered`]. It outlives the session.
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

/// What a browser is told to forget (Clear Site Data §3.1).
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// The answer, with the browser forgotten, and by it the pages that it would show again on going back.
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
