//! Responses to a browser: pages, which must not be framed, cached or extended with other content, and redirects.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_SECURITY_POLICY, HeaderValue, LOCATION, REFERRER_POLICY, VARY,
    X_FRAME_OPTIONS,
};
use actix_web::{HttpResponse, HttpResponseBuilder};
use askama::Template;
use steward_domain::kernel::error::{Error, ErrorCode, LoggedError};

use crate::wording::reader::Reader;

/// What a page may use besides its own styles and images. No page loads an image of another host, which would see who
/// signs in to what.
#[derive(Default)]
pub(crate) struct AllowedOrigins {
    /// Whether its form redirects to a client. Browsers apply `form-action` to every redirect of a form, including
    /// those of the client, which are not known here. Such a page therefore has no `form-action`.
    pub form: bool,
    /// Whether it runs the scripts of this service. Few pages outside of the console do.
    pub scripts: bool,
}

/// Content security policy of the console. The same for all of its pages, because a page that a script loads is shown
/// under the policy of the page before it.
const CONSOLE_POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; \
                              img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Returns a page.
pub(crate) fn page(view: &impl Template) -> Result<HttpResponse, Error> {
    page_with(StatusCode::OK, view, &AllowedOrigins::default())
}

/// Returns a page with a status and the other origins that it may use.
pub(crate) fn page_with(
    status: StatusCode,
    view: &impl Template,
    allowed: &AllowedOrigins,
) -> Result<HttpResponse, Error> {
    let reader = Reader::current();
    let mut response = html_response(status, render(view)?, policy(allowed));
    let headers = response.headers_mut();
    headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(reader.language.tag));
    headers.insert(VARY, HeaderValue::from_static("Accept-Language, Cookie"));
    Ok(response)
}

/// Returns a page of the console. It uses scripts of this service.
pub(crate) fn console_page(status: StatusCode, html: String) -> HttpResponse {
    html_response(status, html, CONSOLE_POLICY.to_owned())
}

/// Renders a view.
pub(crate) fn render(view: &impl Template) -> Result<String, Error> {
    view.render().map_err(|error| Error::Internal(error.into()))
}

/// What a page of the documentation may use: its script copies blocks of code.
const OF_DOCS: AllowedOrigins = AllowedOrigins { form: false, scripts: true };

/// Returns a page of the documentation that is not for others.
pub(crate) fn docs_page(status: StatusCode, html: String) -> HttpResponse {
    html_response(status, html, policy(&OF_DOCS))
}

/// Adds the headers of a page of the documentation that is the same for everyone.
pub(crate) fn docs_headers(response: &mut HttpResponseBuilder) {
    response.insert_header((CONTENT_SECURITY_POLICY, policy(&OF_DOCS))).insert_header((X_FRAME_OPTIONS, "DENY"));
    response.insert_header((REFERRER_POLICY, "no-referrer"));
}

/// Returns an email as a page. Its styles are in it, and nothing else is allowed.
pub(crate) fn email_page(html: String) -> HttpResponse {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; sandbox";
    html_response(StatusCode::OK, html, policy.to_owned())
}

fn html_response(status: StatusCode, html: String, policy: String) -> HttpResponse {
    HttpResponse::build(status)
        .content_type("text/html; charset=utf-8")
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((VARY, "Cookie"))
        .body(html)
}

/// Adds an error code to the log line of the request, for a page that shows a form again with an error.
pub(crate) fn with_code(mut response: HttpResponse, code: ErrorCode) -> HttpResponse {
    response.extensions_mut().insert(LoggedError::of_request(code.as_str()));
    response
}

fn policy(allowed: &AllowedOrigins) -> String {
    let form = if allowed.form { "" } else { " form-action 'self';" };
    let scripts = if allowed.scripts { " script-src 'self';" } else { "" };
    format!(
        "default-src 'none';{scripts} style-src 'self'; img-src 'self';{form} base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Redirects to a path of this service. Any other address would lead a person elsewhere, so it becomes the home page.
pub(crate) fn see_other(path: &str) -> HttpResponse {
    let is_own =
        path.starts_with('/') && !path.starts_with("//") && path.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    redirect(if is_own { path } else { "/" })
}

/// Redirects to the address of a client. MUST be one that the client has registered.
pub(crate) fn to_client(address: &str) -> HttpResponse {
    redirect(address)
}

/// Redirects with GET (RFC 9700 §4.12 warns against other redirect statuses).
fn redirect(address: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, address))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .finish()
}

/// Returns a response without a page, after which a browser shows the same one.
pub(crate) fn no_content() -> HttpResponse {
    HttpResponse::NoContent().insert_header((CACHE_CONTROL, "no-store")).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_the_service_is_redirected_to() {
        let location = |path| see_other(path).headers().get(LOCATION).unwrap().to_str().unwrap().to_owned();
        for path in ["/", "/console/start?a=b#c", "/auth/sign-in?next=%2Fconsole%2Fx"] {
            assert_eq!(location(path), path);
        }
        for address in
            ["", "x", "//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nX: y", "javascript:x"]
        {
            assert_eq!(location(address), "/", "{address:?}");
        }
    }

    #[test]
    fn no_page_loads_anything_from_another_host() {
        for (form, scripts) in [(false, false), (false, true), (true, false), (true, true)] {
            let policy = policy(&AllowedOrigins { form, scripts });
            assert!(policy.starts_with("default-src 'none';") && !policy.contains("//"), "{policy}");
            assert!(policy.contains("img-src 'self';"), "{policy}");
        }
    }
}
