//! Signing in with a passkey.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use steward_domain::identity::{AuthenticationProof, PendingSignIn};
use steward_domain::kernel::error::{AuthenticationError, Error};

use super::completion::complete_sign_in;
use super::continuation::pending;
use super::second_factor::{sign_in_of, start_again};
use super::sign_in_form::form as sign_in_form;
use crate::error::PageResult;
use crate::request::browser::Browser;
use crate::request::form::Form;
use crate::response::{see_other, with_code};

/// The sign-in page has the form.
pub(crate) async fn back() -> HttpResponse {
    see_other("/auth/sign-in")
}

/// Signs in with the response of an authenticator.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let intent = form.intent()?;
    let passkeys = &browser.pages.steward.passkeys;
    let (ceremony, response) = (form.text("ceremony"), form.text("response"));
    let is_continued = form.given("continues").is_some();
    let continued = if is_continued { sign_in_of(&browser).await? } else { None };
    if is_continued && continued.is_none() {
        return Ok(start_again(intent));
    }
    let is_same = |authenticated: &AuthenticationProof| {
        let same = |sign_in: &PendingSignIn| sign_in.account().id == authenticated.account().id;
        continued.as_ref().is_none_or(same)
    };
    let error = match passkeys.sign_in(&browser.request, &browser.token, ceremony, response).await {
        Ok(authenticated) if !is_same(&authenticated) => AuthenticationError::OtherPasskey.into(),
        Ok(authenticated) => {
            let authenticated = match &continued {
                Some(first) => authenticated.continuing(first),
                None => authenticated,
            };
            return complete_sign_in(&browser, authenticated, intent).await;
        }
        Err(Error::Unauthenticated(refused)) if refused.is_of_passkey() => Error::from(refused),
        Err(error) => return Err(error.into()),
    };
    let pending = pending(&browser, intent).await?;
    let page = sign_in_form(&browser, StatusCode::BAD_REQUEST, intent, pending.as_ref(), "", Some(&error)).await?;
    Ok(with_code(page, error.code()))
}
