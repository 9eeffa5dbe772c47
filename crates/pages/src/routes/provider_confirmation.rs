//! The page on which a person whose identity at a provider proves the address of an account chooses what the account
//! keeps.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use steward_domain::identity::{Choices, Confirmer, ProviderOutcome};

use super::continuation::{elsewhere, pending, with_browser_cookie};
use super::provider::follow;
use crate::error::PageResult;
use crate::held;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::form::Form;
use crate::response::{page_with, see_other};
use crate::views;

/// Shows the choices.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    choose(&browser, query.intent()?, &Choices::default()).await
}

/// Confirms the address, and signs in.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let (intent, choices) = (form.intent()?, held::choices(&form)?);
    let (sign_ins, cookie) = (&browser.pages.steward.provider_sign_ins, browser.identity.expose());
    let confirmer = Confirmer { signed_in: browser.unlimited_session(), choices: &choices };
    match sign_ins.decide(&browser.request, &browser.token, cookie, confirmer).await {
        Ok(ProviderOutcome::Undecided(_)) => choose(&browser, intent, &choices).await,
        outcome => follow(&browser, intent, outcome).await,
    }
}

async fn choose(browser: &Browser, intent: Option<SignInIntent<'_>>, choices: &Choices) -> PageResult {
    let sign_ins = &browser.pages.steward.provider_sign_ins;
    let Some(held) = sign_ins.held(&browser.token, browser.identity.expose()).await? else {
        return Ok(see_other("/auth/sign-in"));
    };
    let pending = pending(browser, intent).await?;
    let view = views::ProviderConfirmation { csrf: &browser.csrf(), intent, held: &held::lines(&held, choices) };
    with_browser_cookie(browser, page_with(StatusCode::OK, &view, &elsewhere(pending.as_ref()))?)
}
