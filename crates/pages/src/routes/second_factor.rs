//! The page that asks for the second factor after the password or a link.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::identity::PendingSignIn;
use steward_domain::kernel::error::{AuthenticationError, Error};

use super::completion::{SECOND_FACTOR, complete_sign_in};
use super::continuation::{elsewhere, pending};
use super::sign_in_form::passkey_challenge;
use crate::error::PageResult;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::form::Form;
use crate::response::{AllowedOrigins, page_with, see_other, with_code};
use crate::views;
use crate::wording::explanation::explain;

/// The field, and the value with which the page asks for a recovery code.
const USE: &str = "use";
const RECOVERY_CODE: &str = "recovery-code";

/// Shows the form, if the browser has begun to sign in.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    match sign_in_of(&browser).await? {
        Some(sign_in) => form(&browser, &query, &sign_in, None).await,
        None => Ok(start_again(query.intent()?)),
    }
}

/// Completes the sign-in with the code.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let intent = form.intent()?;
    let Some(sign_in) = sign_in_of(&browser).await? else { return Ok(start_again(intent)) };
    let (second_factor, code) = (&browser.pages.steward.second_factor, form.text("code"));
    match second_factor.complete(&browser.request, sign_in.clone(), code, browser.known.expose()).await {
        Ok(authenticated) => complete_sign_in(&browser, authenticated, intent).await,
        Err(
            error @ (Error::Unauthenticated(AuthenticationError::WrongCode | AuthenticationError::MistypedCode)
            | Error::TooMany { .. }),
        ) => self::form(&browser, &form, &sign_in, Some(&error)).await,
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn sign_in_of(browser: &Browser) -> Result<Option<PendingSignIn>, Error> {
    browser.pages.steward.second_factor.from_cookie(browser.pending_sign_in.expose(), &browser.token).await
}

/// Redirects to the sign-in page, because the sign-in has expired or never began.
pub(super) fn start_again(intent: Option<SignInIntent<'_>>) -> HttpResponse {
    see_other(&intent.map_or_else(|| "/auth/sign-in".to_owned(), |intent| intent.at("/auth/sign-in")))
}

async fn form(browser: &Browser, input: &Form, sign_in: &PendingSignIn, error: Option<&Error>) -> PageResult {
    let intent = input.intent()?;
    let pending = pending(browser, intent).await?;
    let at = |path: &str| intent.map_or_else(|| path.to_owned(), |intent| intent.at(path));
    let (this_page, message) = (at(SECOND_FACTOR), error.map(explain));
    let has_passkey = browser.pages.steward.passkeys.has_any(sign_in).await?;
    let view = views::SecondFactor {
        csrf: &browser.csrf(),
        passkey: if has_passkey { passkey_challenge(browser)? } else { None },
        intent,
        client: pending.as_ref().map(|pending| pending.client.name()),
        account: sign_in.account().email.masked(),
        error: message.as_deref(),
        is_limited: matches!(error, Some(Error::TooMany { .. })),
        asks_for_recovery_code: input.text(USE) == RECOVERY_CODE,
        with_recovery_code: format!("{this_page}{}{USE}={RECOVERY_CODE}", if intent.is_some() { "&" } else { "?" }),
        with_app: this_page,
        start_again: at("/auth/sign-in"),
    };
    let status = match error {
        None => StatusCode::OK,
        Some(Error::TooMany { .. }) => StatusCode::TOO_MANY_REQUESTS,
        Some(_) => StatusCode::BAD_REQUEST,
    };
    let allowed = AllowedOrigins { scripts: view.passkey.is_some(), ..elsewhere(pending.as_ref()) };
    let page = page_with(status, &view, &allowed)?;
    Ok(error.map(Error::code).into_iter().fold(page, with_code))
}
