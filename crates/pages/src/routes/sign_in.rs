//! The sign-in page.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::error::{AuthenticationError, Error};
use steward_domain::model::{Email, Login, Secret};
use steward_domain::usecases::{AuthorizationStep, PasskeyChallenge, Pending};

use super::completion::continue_sign_in;
use super::continuation::{elsewhere, follow, pending, redirect_after_sign_in, with_browser_cookie};
use super::email_code::are_offered;
use super::invite::offered as invited_to;
use super::provider::{offered, required_provider, waiting, waiting_identity};
use crate::browser::Browser;
use crate::error::{PageError, sentence};
use crate::form::Form;
use crate::intent::SignInIntent;
use crate::response::{AllowedOrigins, page_with, with_code};
use crate::views;

/// Shows the sign-in form, unless the person is already signed in and the session is sufficient.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> Result<HttpResponse, PageError> {
    let query = Form::of_query(&request);
    let intent = query.intent()?;
    let authorizations = &browser.pages.steward.authorizations;
    let pending = pending(&browser, intent).await?;
    match (&browser.session, intent) {
        (Some(session), Some(SignInIntent::Request(id))) => {
            let next = authorizations.proceed(&browser.request, id, session).await?;
            if !matches!(next, AuthorizationStep::SignIn { .. }) {
                return Ok(follow(&next));
            }
        }
        (Some(session), _) if session.is_unlimited() => return Ok(redirect_after_sign_in(intent)),
        (Some(_), _) => {}
        (None, _) => browser.pages.steward.first_operator.require_claimed().await?,
    }
    let hint = pending.as_ref().and_then(|pending| pending.request.parameters.login_hint.clone());
    let invited = match intent {
        Some(SignInIntent::Invite(link)) => invited_to(&browser, link).await?,
        _ => None,
    };
    let waiting = waiting(&browser).map(|waiting| waiting.email.to_string());
    let login = invited.map(|offer| offer.email.to_string()).or(waiting).or(hint).unwrap_or_default();
    form(&browser, StatusCode::OK, intent, pending.as_ref(), &login, None).await
}

/// Signs in, or continues on the page that asks for the second factor.
pub(crate) async fn submit(browser: Browser, form: Form) -> Result<HttpResponse, PageError> {
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
    let page = self::form(&browser, status, intent, pending.as_ref(), login, Some(&error)).await?;
    Ok(with_code(page, error.code()))
}

pub(super) async fn form(
    browser: &Browser,
    status: StatusCode,
    intent: Option<SignInIntent<'_>>,
    pending: Option<&Pending>,
    login: &str,
    error: Option<&Error>,
) -> Result<HttpResponse, PageError> {
    let client = pending.map(|pending| pending.client.name());
    let accepts_sign_ups = browser.pages.steward.accounts.accepts_sign_ups();
    let message = error.map(sentence);
    let providers = offered(browser, pending).await?;
    let view = views::SignIn {
        csrf: &browser.csrf(),
        passkey: passkey_challenge(browser)?,
        waiting: waiting_identity(browser).await?,
        intent,
        client,
        login,
        error: message.as_deref(),
        blames_fields: !matches!(error, Some(Error::Unauthenticated(refused)) if refused.is_of_passkey() || refused.is_of_provider()),
        is_limited: matches!(error, Some(Error::TooMany { .. })),
        email: Some(login).filter(|login| Email::parse(login).is_ok()),
        accepts_sign_ups,
        offers_email_codes: are_offered(browser, pending),
        providers: &providers,
    };
    let elsewhere = elsewhere(pending);
    // The buttons of providers redirect there.
    let form = elsewhere.form || !providers.is_empty();
    let allowed = AllowedOrigins { scripts: view.passkey.is_some(), form, ..elsewhere };
    with_browser_cookie(browser, page_with(status, &view, &allowed)?)
}

/// Returns a challenge for any passkey, if the service can use passkeys.
pub(super) fn passkey_challenge(browser: &Browser) -> Result<Option<PasskeyChallenge>, Error> {
    let passkeys = &browser.pages.steward.passkeys;
    passkeys.are_available().then(|| passkeys.begin_sign_in(&browser.token)).transpose()
}
