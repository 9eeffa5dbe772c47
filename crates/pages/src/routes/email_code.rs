//! Signing in, and signing up, with a code that the person receives by email.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use steward_domain::identity::{Confirmer, Confirming, Email, LinkPurpose, Pending};
use steward_domain::kernel::error::{AuthenticationError, Error, ErrorCode, Forbidden};

use super::completion::continue_sign_in;
use super::continuation::{elsewhere, usable, with_browser_cookie};
use super::offered_providers::required_for;
use crate::error::PageResult;
use crate::held::{self, HeldLine};
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::cookie::{EMAIL_CODE, with_flash};
use crate::request::form::Form;
use crate::response::{page_with, see_other, with_code};
use crate::views;
use crate::wording::explanation::{Field, explain, said};
use crate::wording::message::Message;

/// The address of the page that asks for the email address.
const ADDRESS: &str = "/auth/sign-in/email";
/// The address of the page that asks for the code.
const CODE: &str = LinkPurpose::SignIn.path();

/// Returns whether the page of this sign-in offers codes. Without a mail server it does not: they are in the log, which the
/// person cannot read.
pub(super) fn are_offered(browser: &Browser, pending: Option<&Pending>) -> bool {
    browser.pages.steward.email_changes.sends_emails() && are_accepted(browser, pending)
}

fn are_accepted(browser: &Browser, pending: Option<&Pending>) -> bool {
    browser.pages.steward.email_codes.are_on() && pending.is_none_or(|pending| pending.client.accepts_email_codes())
}

/// Asks for the email address.
pub(crate) async fn show_address(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    address_page(&browser, query.intent()?, "", None).await
}

/// Sends the email. The response does not reveal whether the address has an account.
pub(crate) async fn submit_address(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let (intent, text) = (form.intent()?, form.text("login"));
    let (intent, pending) = usable(&browser, intent).await?;
    if !are_accepted(&browser, pending.as_ref()) {
        return Ok(see_other(&at("/auth/sign-in", intent)));
    }
    let email = match Email::parse(text) {
        Ok(email) => email,
        // The sign-in page has one field for both.
        Err(_) if form.given("password").is_some() || text.is_empty() => {
            return Ok(see_other(&at(ADDRESS, intent)));
        }
        Err(error) => {
            let problem = Problem::invalid(Field::EMAIL.explain(error));
            return address_page(&browser, intent, text, Some(&problem)).await;
        }
    };
    if let Some(required) = required_for(&browser, &email).await? {
        let problem = Problem::of(&Forbidden::ProviderRequired(required.name.to_string()).into());
        return address_page(&browser, intent, text, Some(&problem)).await;
    }
    let (request, codes) = (browser.read_request(), &browser.pages.steward.email_codes);
    let query = intent.map(|intent| intent.at("")).unwrap_or_default();
    let of_sign_in = (query.trim_start_matches('?'), pending.as_ref().map(|pending| &pending.client));
    match codes.send(request, (&browser.token, browser.known.expose()), &email, of_sign_in).await {
        Ok(sent) => Ok(EMAIL_CODE.set(&browser.pages, see_other(&at(CODE, intent)), sent.expose())?),
        Err(error @ (Error::TooMany { .. } | Error::Invalid(_))) => {
            address_page(&browser, intent, text, Some(&Problem::of(&error))).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Asks for the code. The link of the email fills it in.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let (intent, code) = (query.intent()?, query.text("code"));
    match browser.pages.steward.email_codes.address(&browser.token, browser.email_code.expose()) {
        Some(email) => code_page(&browser, intent, &email, code, None, &[]).await,
        None if code.is_empty() => Ok(see_other(&at(ADDRESS, intent))),
        None => {
            let problem = Problem::invalid(said(Message::new("code-elsewhere")));
            address_page(&browser, intent, "", Some(&problem)).await
        }
    }
}

/// Signs in with the code. Before it confirms an address for the first time, the person chooses what the account keeps.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let (intent, code, cookie) = (form.intent()?, form.text("code"), browser.email_code.expose());
    let codes = &browser.pages.steward.email_codes;
    let email = codes.address(&browser.token, cookie);
    let (intent, _) = usable(&browser, intent).await?;
    let choices = held::choices(&form)?;
    let confirmer = Confirmer { signed_in: browser.unlimited_session(), choices: &choices };
    let error = match codes.sign_in(&browser.request, &browser.token, cookie, code, confirmer).await {
        Ok(Confirming::Undecided(held)) => {
            let Some(email) = email else { return Ok(see_other(&at(ADDRESS, intent))) };
            return code_page(&browser, intent, &email, code, None, &held::lines(&held, &choices)).await;
        }
        Ok(Confirming::Done(sign_in)) => {
            let response = continue_sign_in(&browser, sign_in.progress, intent).await?;
            let response = EMAIL_CODE.delete(&browser.pages, response)?;
            if !sign_in.has_lost_password {
                return Ok(response);
            }
            let message = "Your address is confirmed. The earlier password, passkeys, linked identities, sessions and tokens were \
                           removed, because someone else may have signed up with it.";
            return Ok(with_flash(&browser.pages, response, message)?);
        }
        Err(error) => error,
    };
    match (&error, email) {
        (
            Error::Unauthenticated(AuthenticationError::WrongEmailCode | AuthenticationError::MistypedEmailCode)
            | Error::TooMany { .. },
            Some(email),
        ) => code_page(&browser, intent, &email, "", Some(&Problem::of(&error)), &[]).await,
        (Error::Unauthenticated(_), email) => {
            let email = email.as_ref().map_or("", Email::shown);
            address_page(&browser, intent, email, Some(&Problem::of(&error))).await
        }
        _ => Err(error.into()),
    }
}

/// Why a form is shown again.
struct Problem {
    message: String,
    status: StatusCode,
    code: ErrorCode,
}

impl Problem {
    fn invalid(message: String) -> Self {
        Self { message, status: StatusCode::BAD_REQUEST, code: ErrorCode::InvalidRequest }
    }

    fn of(error: &Error) -> Self {
        let status = match error {
            Error::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            _ => StatusCode::BAD_REQUEST,
        };
        Self { message: explain(error), status, code: error.code() }
    }
}

fn at(path: &str, intent: Option<SignInIntent<'_>>) -> String {
    intent.map_or_else(|| path.to_owned(), |intent| intent.at(path))
}

async fn address_page(
    browser: &Browser,
    intent: Option<SignInIntent<'_>>,
    login: &str,
    problem: Option<&Problem>,
) -> PageResult {
    let (intent, pending) = usable(browser, intent).await?;
    if !are_accepted(browser, pending.as_ref()) {
        return Ok(see_other(&at("/auth/sign-in", intent)));
    }
    let hint = pending.as_ref().and_then(|pending| pending.request.parameters.login_hint.as_deref());
    let view = views::EmailCodeAddress {
        csrf: &browser.csrf(),
        intent,
        client: pending.as_ref().map(|pending| pending.client.name()),
        login: if login.is_empty() { hint.unwrap_or_default() } else { login },
        sends_emails: browser.pages.steward.email_changes.sends_emails(),
        accepts_sign_ups: browser.pages.steward.accounts.accepts_sign_ups(),
        error: problem.map(|problem| problem.message.as_str()),
        back: at("/auth/sign-in", intent),
    };
    let status = problem.map_or(StatusCode::OK, |problem| problem.status);
    let page = with_browser_cookie(browser, page_with(status, &view, &elsewhere(pending.as_ref()))?)?;
    Ok(problem.map(|problem| problem.code).into_iter().fold(page, with_code))
}

async fn code_page(
    browser: &Browser,
    intent: Option<SignInIntent<'_>>,
    email: &Email,
    code: &str,
    problem: Option<&Problem>,
    held: &[HeldLine],
) -> PageResult {
    let (intent, pending) = usable(browser, intent).await?;
    let view = views::EmailCode {
        csrf: &browser.csrf(),
        intent,
        client: pending.as_ref().map(|pending| pending.client.name()),
        email: email.shown(),
        code,
        sends_emails: browser.pages.steward.email_changes.sends_emails(),
        error: problem.map(|problem| problem.message.as_str()),
        held,
        again: at(ADDRESS, intent),
    };
    let status = problem.map_or(StatusCode::OK, |problem| problem.status);
    let page = page_with(status, &view, &elsewhere(pending.as_ref()))?;
    Ok(problem.map(|problem| problem.code).into_iter().fold(page, with_code))
}
