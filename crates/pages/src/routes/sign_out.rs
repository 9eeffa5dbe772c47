//! The sign-out page.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;

use super::continuation::with_browser_cookie;
use crate::error::PageResult;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::cookie::without_browser;
use crate::request::form::Form;
use crate::response::{AllowedOrigins, page, page_with, see_other};
use crate::views;

/// Asks for confirmation.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let Some(signed_in) = &browser.session else { return Ok(page(&views::SignedOut {})?) };
    let account = signed_in.account.email.shown();
    let view = views::SignOut { csrf: &browser.csrf(), intent: query.intent()?, account };
    // With an authorization request, the form can redirect to a client after the next sign-in.
    let allowed =
        AllowedOrigins { form: matches!(view.intent, Some(SignInIntent::Request(_))), ..AllowedOrigins::default() };
    with_browser_cookie(&browser, page_with(StatusCode::OK, &view, &allowed)?)
}

/// Ends the session. With an intent, continues with the sign-in of another account.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    if let Some(signed_in) = browser.session {
        browser.pages.steward.sessions.sign_out(browser.request, signed_in).await?;
    }
    let response = match form.intent()? {
        Some(intent) => see_other(&intent.at("/auth/sign-in")),
        None => page(&views::SignedOut {})?,
    };
    Ok(without_browser(&browser.pages, response)?)
}
