//! The sign-in form.

use actix_web::http::StatusCode;
use steward_domain::identity::{Email, PasskeyChallenge, Pending};
use steward_domain::kernel::error::Error;

use super::continuation::{elsewhere, with_browser_cookie};
use super::email_code::are_offered;
use super::offered_providers::{offered, waiting_identity};
use crate::error::PageResult;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::response::{AllowedOrigins, page_with};
use crate::views;
use crate::wording::explanation::explain;

/// Shows the sign-in form, with the error of the last attempt.
pub(super) async fn form(
    browser: &Browser,
    status: StatusCode,
    intent: Option<SignInIntent<'_>>,
    pending: Option<&Pending>,
    login: &str,
    error: Option<&Error>,
) -> PageResult {
    let client = pending.map(|pending| pending.client.name());
    let accepts_sign_ups = browser.pages.steward.accounts.accepts_sign_ups();
    let message = error.map(explain);
    let providers = offered(browser, pending).await?;
    let view = views::SignIn {
        csrf: &browser.csrf(),
        passkey: passkey_challenge(browser)?,
        waiting: waiting_identity(browser).await?,
        intent,
        client,
        login,
        error: message.as_deref(),
        blames_fields: !matches!(
            error,
            Some(Error::Unauthenticated(refused)) if refused.is_of_passkey() || refused.is_of_provider()
        ),
        is_limited: matches!(error, Some(Error::TooMany { .. })) && browser.pages.steward.email_changes.sends_emails(),
        email: Some(login).filter(|login| Email::parse(login).is_ok()),
        accepts_sign_ups,
        offers_email_codes: are_offered(browser, pending),
        providers: &providers,
    };
    // The buttons of providers redirect there.
    let form = elsewhere(pending).form || !providers.is_empty();
    let allowed = AllowedOrigins { scripts: view.passkey.is_some(), form };
    with_browser_cookie(browser, page_with(status, &view, &allowed)?)
}

/// Returns a challenge for any passkey, if the service can use passkeys.
pub(super) fn passkey_challenge(browser: &Browser) -> Result<Option<PasskeyChallenge>, Error> {
    let passkeys = &browser.pages.steward.passkeys;
    passkeys.are_available().then(|| passkeys.begin_sign_in(&browser.token)).transpose()
}
