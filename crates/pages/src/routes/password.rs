//! Password reset: requests an email with a link. The page that the link opens sets a new password, or signs in without
//! the password.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use steward_domain::identity::{Choices, Confirmer, Confirming, Email, LinkPurpose, Password, SignInProgress};
use steward_domain::kernel::Secret;
use steward_domain::kernel::error::{Error, ErrorCode};

use super::completion::continue_sign_in;
use super::continuation::with_browser_cookie;
use crate::error::PageResult;
use crate::held;
use crate::request::browser::Browser;
use crate::request::cookie::KNOWN_BROWSER;
use crate::request::form::Form;
use crate::response::{AllowedOrigins, page, page_with, with_code};
use crate::views;
use crate::wording::explanation::{Field, explain, said};
use crate::wording::message::Message;

/// Asks for the email address.
pub(crate) async fn show_forgot(browser: Browser) -> PageResult {
    forgot(&browser, StatusCode::OK, "", None)
}

/// Sends the email. The response does not reveal whether the address has an account.
pub(crate) async fn submit_forgot(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let text = form.text("email");
    let email = match Email::parse(text) {
        Ok(email) => email,
        Err(error) => {
            let message = Field::EMAIL.explain(error);
            let page = forgot(&browser, StatusCode::BAD_REQUEST, text, Some(&message))?;
            return Ok(with_code(page, ErrorCode::InvalidRequest));
        }
    };
    let links = &browser.pages.steward.email_links;
    match links.send(browser.request.clone(), LinkPurpose::ResetPassword, &email).await {
        Ok(()) => Ok(page(&views::ForgotSent { email: email.shown(), sends_emails: sends_emails(&browser) })?),
        Err(error) if Field::explain_email(&error).is_some() => {
            let message = Field::explain_email(&error);
            let page = forgot(&browser, StatusCode::BAD_REQUEST, text, message.as_deref())?;
            Ok(with_code(page, error.code()))
        }
        Err(error @ Error::TooMany { .. }) => {
            // Others can use up the limit of an address, but not the links that they requested.
            let message = said(Message::new("forgot-limited").with("error", explain(&error)));
            let page = forgot(&browser, StatusCode::TOO_MANY_REQUESTS, text, Some(&message))?;
            Ok(with_code(page, error.code()))
        }
        Err(error) => Err(error.into()),
    }
}

fn forgot(browser: &Browser, status: StatusCode, email: &str, error: Option<&str>) -> PageResult {
    let view = views::Forgot { csrf: &browser.csrf(), sends_emails: sends_emails(browser), email, error };
    with_browser_cookie(browser, page_with(status, &view, &AllowedOrigins::default())?)
}

/// Whether the service has a mail server.
fn sends_emails(browser: &Browser) -> bool {
    browser.pages.steward.email_changes.sends_emails()
}

/// Asks for a new password.
pub(crate) async fn show_reset(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    reset(&browser, StatusCode::OK, query.text("token"), &Choices::default(), None).await
}

/// Sets the new password, or signs in without it.
pub(crate) async fn submit_reset(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let (token, choices) = (form.text("token"), held::choices(&form)?);
    let keeps_password = form.given("sign_in").is_some();
    let progress = match keeps_password {
        true => browser.pages.steward.email_links.sign_in(browser.request.clone(), token).await.map(Confirming::Done),
        false => set_password(&browser, &form, token, &choices).await,
    };
    let progress = match progress {
        // The browser is known from then on, so that it has a limit of its own.
        Ok(Confirming::Done(progress)) if keeps_password => return continue_sign_in(&browser, progress, None).await,
        Ok(Confirming::Done(progress)) => progress,
        Ok(Confirming::Undecided(_)) => return reset(&browser, StatusCode::OK, token, &choices, None).await,
        Err(error) => {
            let Some(problem) = Field::explain_password(&error) else { return Err(error.into()) };
            let page = reset(&browser, StatusCode::BAD_REQUEST, token, &choices, Some(&problem)).await?;
            return Ok(with_code(page, error.code()));
        }
    };
    let done = page(&views::ResetDone {})?;
    match progress {
        // A person who can read the account's mail is trusted, even while others guess its password.
        SignInProgress::Complete(authenticated) => {
            let known = browser.remembered(&authenticated)?;
            Ok(KNOWN_BROWSER.set(&browser.pages, done, known.expose())?)
        }
        SignInProgress::NeedsSecondFactor(_) => Ok(done),
    }
}

async fn set_password(
    browser: &Browser,
    form: &Form,
    token: &str,
    choices: &Choices,
) -> Result<Confirming<SignInProgress>, Error> {
    let password = Password::parse(Secret::new(form.text("password").to_owned()));
    let password = password.map_err(|error| Error::invalid("password", error))?;
    let confirmer = Confirmer { signed_in: browser.unlimited_session(), choices };
    browser.pages.steward.email_links.reset(browser.request.clone(), token, password, confirmer).await
}

async fn reset(
    browser: &Browser,
    status: StatusCode,
    token: &str,
    choices: &Choices,
    error: Option<&str>,
) -> PageResult {
    let links = &browser.pages.steward.email_links;
    let held = links.held(LinkPurpose::ResetPassword, token, browser.unlimited_session()).await?;
    let view = views::Reset { csrf: &browser.csrf(), token, error, held: &held::lines(&held, choices) };
    with_browser_cookie(browser, page_with(status, &view, &AllowedOrigins::default())?)
}
