//! The end session endpoint: signs a person out at the request of a client (OpenID Connect RP-Initiated Logout 1.0).

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::identity::{LogoutRequest, SignedIn};

use super::continuation::with_browser_cookie;
use crate::error::{PageError, PageResult};
use crate::request::browser::Browser;
use crate::request::cookie::without_browser;
use crate::request::form::Form;
use crate::response::{AllowedOrigins, page, page_with, see_other, to_client};
use crate::views;

/// The parameters of a request that the confirmation sends again.
const PARAMETERS: [&str; 4] = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"];

/// Ends the session if the client has an ID token of the person who is signed in. Otherwise asks for confirmation.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let logout = requested(&browser, &query).await?;
    match &browser.session {
        Some(signed_in) if request.method() == Method::HEAD || !logout.identifies(signed_in) => {
            ask(&browser, &query, &logout, signed_in)
        }
        _ => end(browser, &logout).await,
    }
}

/// Redirects a request that a client sent as a form. Browsers send the cookie with the redirect, but not with a form of
/// another site.
pub(crate) async fn forward(form: Form) -> HttpResponse {
    see_other(&format!("/auth/logout?{}", form.to_query()))
}

/// Ends the session after confirmation.
pub(crate) async fn confirm(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let logout = requested(&browser, &form).await?;
    end(browser, &logout).await
}

async fn requested(browser: &Browser, form: &Form) -> Result<LogoutRequest, PageError> {
    let authorizations = &browser.pages.steward.authorizations;
    Ok(authorizations.logout_request(&browser.request, &form.parameters()).await?)
}

fn ask(browser: &Browser, query: &Form, logout: &LogoutRequest, signed_in: &SignedIn) -> PageResult {
    let given = PARAMETERS.into_iter().filter_map(|name| Some((name, query.given(name)?)));
    let view = views::Logout {
        csrf: &browser.csrf(),
        client: logout.client.as_ref().map(|client| client.name()),
        account: signed_in.account.email.shown(),
        parameters: &given.collect::<Vec<_>>(),
    };
    let allowed = AllowedOrigins { form: logout.destination().is_some(), ..AllowedOrigins::default() };
    with_browser_cookie(browser, page_with(StatusCode::OK, &view, &allowed)?)
}

async fn end(browser: Browser, logout: &LogoutRequest) -> PageResult {
    if let Some(signed_in) = browser.session {
        browser.pages.steward.sessions.sign_out(browser.request, signed_in).await?;
    }
    let response = match logout.destination() {
        Some(uri) => to_client(uri),
        None => page(&views::SignedOut {})?,
    };
    Ok(without_browser(&browser.pages, response)?)
}
