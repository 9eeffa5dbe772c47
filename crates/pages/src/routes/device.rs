//! Entering the code of a device that waits for a person (RFC 8628 §3.3). The person decides on the page for consent.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use steward_domain::kernel::error::{Error, ResourceKind};

use super::continuation::with_browser_cookie;
use crate::error::PageResult;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::cookie::DEVICE_REQUEST;
use crate::request::form::Form;
use crate::response::{AllowedOrigins, page_with, see_other};
use crate::views;
use crate::wording::explanation::{explain, said};
use crate::wording::message::Message;

/// Asks for the code. The complete address of a device fills it in; the person still continues with a button.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    form(&browser, StatusCode::OK, query.text("user_code"), None)
}

/// Continues with the sign-in and the consent.
pub(crate) async fn submit(browser: Browser, submitted: Form) -> PageResult {
    browser.check(&submitted)?;
    let code = submitted.text("user_code");
    match browser.pages.steward.authorizations.enter_user_code(browser.request.clone(), code).await {
        Ok(id) => {
            let consent = see_other(&SignInIntent::Request(id.expose()).at("/auth/consent"));
            Ok(DEVICE_REQUEST.set(&browser.pages, consent, id.expose())?)
        }
        Err(Error::NotFound(ResourceKind::DeviceAuthorization)) => {
            let message = said(Message::new("device-unknown"));
            form(&browser, StatusCode::NOT_FOUND, code, Some(&message))
        }
        Err(Error::Invalid(_)) => {
            let message = said(Message::new("device-mistyped"));
            form(&browser, StatusCode::BAD_REQUEST, code, Some(&message))
        }
        Err(error @ Error::TooMany { .. }) => {
            form(&browser, StatusCode::TOO_MANY_REQUESTS, code, Some(&explain(&error)))
        }
        Err(error) => Err(error.into()),
    }
}

fn form(browser: &Browser, status: StatusCode, user_code: &str, error: Option<&str>) -> PageResult {
    let view = views::Device { csrf: &browser.csrf(), user_code, error };
    with_browser_cookie(browser, page_with(status, &view, &AllowedOrigins::default())?)
}
