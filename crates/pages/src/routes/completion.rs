//! The end of a sign-in: the session of the browser, or the page that asks for the second factor.

use actix_web::HttpResponse;
use steward_domain::identity::{AuthenticationProof, SignInProgress};

use super::continuation::redirect_after_sign_in;
use super::invite::confirm_address;
use crate::error::PageResult;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::cookie::{IDENTITY, KNOWN_BROWSER, PENDING_SIGN_IN, with_browser, with_flash};
use crate::response::see_other;

/// The address of the page that asks for the second factor.
pub(super) const SECOND_FACTOR: &str = "/auth/second-factor";

/// Completes a sign-in after its first factor, or continues on the page that asks for the second one.
pub(super) async fn continue_sign_in(
    browser: &Browser,
    progress: SignInProgress,
    intent: Option<SignInIntent<'_>>,
) -> PageResult {
    let pending = match progress {
        SignInProgress::Complete(authenticated) => return complete_sign_in(browser, authenticated, intent).await,
        SignInProgress::NeedsSecondFactor(pending) => pending,
    };
    let cookie = browser.pages.steward.second_factor.to_cookie(&pending, &browser.token)?;
    let address = intent.map_or_else(|| SECOND_FACTOR.to_owned(), |intent| intent.at(SECOND_FACTOR));
    Ok(PENDING_SIGN_IN.set(&browser.pages, see_other(&address), cookie.expose())?)
}

/// Begins the session of the browser, and makes it known to the account.
pub(super) async fn complete_sign_in(
    browser: &Browser,
    authenticated: AuthenticationProof,
    intent: Option<SignInIntent<'_>>,
) -> PageResult {
    let (request, before) = (browser.read_request(), browser.session.clone());
    let known = browser.remembered(&authenticated)?;
    let steward = &browser.pages.steward;
    let session = steward.sessions.begin(request.clone(), authenticated.clone(), &browser.user_agent, before).await?;
    steward.accounts.announce_browser(&browser.request, &authenticated, browser.known.expose()).await;
    if let Some(SignInIntent::Invite(link)) = intent {
        confirm_address(browser, authenticated.account().id, link).await?;
    }
    let response = with_browser(&browser.pages, redirect_after_sign_in(intent), &session.secret)?;
    let response = KNOWN_BROWSER.set(&browser.pages, response, known.expose())?;
    let response = match browser.identity.expose() {
        "" => response,
        _ => link_waiting(browser, &authenticated, response).await?,
    };
    steward.accounts.remember_language(&request, authenticated.account()).await;
    if browser.pending_sign_in.expose().is_empty() {
        return Ok(response);
    }
    Ok(PENDING_SIGN_IN.delete(&browser.pages, response)?)
}

/// Links the identity that waited until the person signed in to its account.
async fn link_waiting(browser: &Browser, authenticated: &AuthenticationProof, response: HttpResponse) -> PageResult {
    let (pages, cookie) = (&browser.pages, browser.identity.expose());
    let provider_sign_ins = &pages.steward.provider_sign_ins;
    let is_linked = provider_sign_ins.link_waiting(&browser.request, &browser.token, cookie, authenticated).await?;
    let response = IDENTITY.delete(pages, response)?;
    if !is_linked {
        return Ok(response);
    }
    Ok(with_flash(pages, response, "From now on, you can sign in to this account with the provider.")?)
}
