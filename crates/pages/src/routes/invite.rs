//! The page that an invite link opens. The link grants no access: only the invited account sees the invite, and nobody
//! else learns whether it exists.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::error::{Error, ErrorCode, ResourceKind};
use steward_domain::model::{Caller, Identity, InviteId, SignedIn};

use super::with_browser_cookie;
use crate::browser::Browser;
use crate::console::timestamps::date_time;
use crate::error::PageError;
use crate::form::Form;
use crate::intent::SignInIntent;
use crate::response::{AllowedOrigins, page, page_with, see_other, with_code};
use crate::views;

/// Shows the invite to the invited account. Asks everyone who is not signed in to sign in, whether or not the invite
/// exists.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> Result<HttpResponse, PageError> {
    let id = invite_id(&Form::of_query(&request))?;
    let Some(signed_in) = &browser.signed_in else {
        browser.pages.steward.first_operator.require_claimed().await?;
        let accepts_sign_ups = browser.pages.steward.accounts.accepts_sign_ups();
        return Ok(page(&views::Invited { intent: SignInIntent::Invite(id), accepts_sign_ups })?);
    };
    let details = match browser.pages.steward.invites.own(&caller(&browser, signed_in), id).await {
        Ok(details) => details,
        Err(Error::NotFound(_)) => return unknown(&browser, signed_in, id),
        Err(error) => return Err(error.into()),
    };
    let view = views::Invite {
        csrf: &browser.csrf(),
        intent: SignInIntent::Invite(id),
        account: signed_in.account.email.as_str(),
        team: details.team_name.as_str(),
        slug: details.team_slug.as_str(),
        roles: &details.invite.roles.to_string().replace(',', ", "),
        role_name: Some(details.invite.role_name.as_str()).filter(|label| !label.is_empty()),
        until: &date_time(details.invite.expires_at),
    };
    with_browser_cookie(&browser, page(&view)?)
}

/// Accepts or declines the invite.
pub(crate) async fn take(browser: Browser, form: Form) -> Result<HttpResponse, PageError> {
    browser.check(&form)?;
    let id = invite_id(&form)?;
    let Some(signed_in) = &browser.signed_in else {
        return Ok(see_other(&SignInIntent::Invite(id).at("/auth/sign-in")));
    };
    let (invites, caller) = (&browser.pages.steward.invites, caller(&browser, signed_in));
    let accepted = match form.text("decision") {
        "accept" => true,
        "decline" => false,
        _ => return Err(PageError::InvalidForm(StatusCode::BAD_REQUEST)),
    };
    let result = match invites.own(&caller, id).await {
        Ok(details) if accepted => invites.accept(&caller, id).await.map(|_| details),
        Ok(details) => invites.decline(&caller, id).await.map(|()| details),
        Err(error) => Err(error),
    };
    match result {
        Ok(details) => Ok(page(&views::InviteDecided { team: details.team_name.as_str(), accepted })?),
        Err(Error::NotFound(_)) => unknown(&browser, signed_in, id),
        Err(error) => Err(error.into()),
    }
}

/// Returns the invite ID of the link. A malformed ID is reported as an unknown invite.
fn invite_id(form: &Form) -> Result<InviteId, PageError> {
    Ok(form.invite()?.ok_or(Error::NotFound(ResourceKind::Invite))?)
}

fn caller(browser: &Browser, signed_in: &SignedIn) -> Caller {
    Caller::new(Identity::Account(signed_in.account.id), browser.request.clone())
}

/// Reports that there is no invite for this account, without revealing whether there is one for another.
fn unknown(browser: &Browser, signed_in: &SignedIn, id: InviteId) -> Result<HttpResponse, PageError> {
    let view = views::InviteUnknown {
        csrf: &browser.csrf(),
        intent: SignInIntent::Invite(id),
        account: signed_in.account.email.as_str(),
        verified: signed_in.account.email_verified,
    };
    let page = page_with(StatusCode::NOT_FOUND, &view, &AllowedOrigins::default())?;
    with_browser_cookie(browser, with_code(page, ErrorCode::NotFound))
}
