//! The sign-in page.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use steward_domain::identity::{AuthorizationStep, Login, SignedIn};
use steward_domain::kernel::Secret;
use steward_domain::kernel::error::{AuthenticationError, Error};
use steward_domain::kernel::policy::Conditions;

use super::completion::continue_sign_in;
use super::continuation::{follow, pending, redirect_after_sign_in};
use super::invite::offered as invited_to;
use super::offered_providers::waiting;
use super::provider::required_provider;
use super::sign_in_form::form as sign_in_form;
use crate::error::PageResult;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::form::Form;
use crate::response::with_code;

/// Shows the sign-in form, unless the person is already signed in and the session is sufficient.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let intent = query.intent()?;
    let authorizations = &browser.pages.steward.authorizations;
    let pending = pending(&browser, intent).await?;
    match (&browser.session, intent, &pending) {
        (Some(_), ..) if query.text("prompt") == "login" => {}
        (Some(session), Some(SignInIntent::Request(id)), Some(pending)) => {
            let next = authorizations.proceed(&browser.request, id, pending, session, false).await?;
            if !matches!(next, AuthorizationStep::SignIn { .. }) {
                return Ok(follow(&next)?);
            }
        }
        // A session without the second factor that the account has by now is not sufficient where one is required.
        (Some(session), ..) if lacks_used_factor(&browser, session) => {}
        (Some(session), ..) if session.is_unlimited() => return Ok(redirect_after_sign_in(intent)),
        (Some(_), ..) => {}
        (None, ..) => browser.pages.steward.first_operator.require_claimed().await?,
    }
    let hint = pending.as_ref().and_then(|pending| pending.request.parameters.login_hint.clone());
    let invited = match intent {
        Some(SignInIntent::Invite(link)) => invited_to(&browser, link).await?,
        _ => None,
    };
    let waiting = waiting(&browser).map(|waiting| waiting.email.shown().to_owned());
    let login =
        invited.and_then(|offer| Some(offer.email?.shown().to_owned())).or(waiting).or(hint).unwrap_or_default();
    sign_in_form(&browser, StatusCode::OK, intent, pending.as_ref(), &login, None).await
}

/// Whether the session does not suffice, because the account has a second factor that was not used.
fn lacks_used_factor(browser: &Browser, session: &SignedIn) -> bool {
    let checked = browser.pages.steward.accounts.check_conditions(Conditions::All, session);
    matches!(checked, Err(Error::Unauthenticated(AuthenticationError::SecondFactorUnused)))
}

/// Signs in, or continues on the page that asks for the second factor.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let steward = &browser.pages.steward;
    let (intent, login) = (form.intent()?, form.text("login"));
    if let Some(response) = required_provider(&browser, intent, login).await? {
        return Ok(response);
    }
    let password = Secret::new(form.text("password").to_owned());
    let error = match steward
        .accounts
        .authenticate(&browser.request, &Login::parse(login), password, browser.known.expose())
        .await
    {
        Ok(progress) => return continue_sign_in(&browser, progress, intent).await,
        Err(error) => error,
    };
    let status = match &error {
        Error::Unauthenticated(AuthenticationError::WrongPassword) => StatusCode::BAD_REQUEST,
        Error::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
        _ => return Err(error.into()),
    };
    let pending = pending(&browser, intent).await?;
    let page = sign_in_form(&browser, status, intent, pending.as_ref(), login, Some(&error)).await?;
    Ok(with_code(page, error.code()))
}
