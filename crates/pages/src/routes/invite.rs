//! An invite, at the page that its link opens. The link grants nothing: the invite is shown to whom it names, and nobody
//! else learns whether there is one.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{Caller, Identity, InviteId, SignedIn};

use super::sessions::day;
use super::told;
use crate::answer::{AllowedOrigins, page, page_with, see_other};
use crate::browser::Browser;
use crate::error::PageError;
use crate::form::Form;
use crate::intent::SignInIntent;
use crate::views;

/// Shows the invite to whom it names. Who is not signed in is asked to, whatever the link says.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> Result<HttpResponse, PageError> {
    let id = named(&Form::of_query(&request))?;
    let Some(signed_in) = &browser.signed_in else {
        let accepts_sign_ups = browser.pages.steward.accounts.accepts_sign_ups();
        return page(&views::Invited { intent: SignInIntent::Invite(id), accepts_sign_ups });
    };
    let found = match browser.pages.steward.invites.own(&caller(&browser, signed_in), id).await {
        Ok(found) => found,
        Err(Error::NotFound(_)) => return unknown(&browser, signed_in, id),
        Err(error) => return Err(error.into()),
    };
    let view = views::Invite {
        csrf: &browser.csrf(),
        intent: SignInIntent::Invite(id),
        account: signed_in.account.email.as_str(),
        team: found.team_name.as_str(),
        slug: found.team_slug.as_str(),
        roles: &found.invite.roles.to_string().replace(',', ", "),
        role_name: Some(found.invite.role_name.as_str()).filter(|label| !label.is_empty()),
        until: &day(found.invite.expires_at),
    };
    told(&browser, page(&view)?)
}

/// Takes the answer.
pub(crate) async fn take(browser: Browser, form: Form) -> Result<HttpResponse, PageError> {
    browser.check(&form)?;
    let id = named(&form)?;
    let Some(signed_in) = &browser.signed_in else {
        return Ok(see_other(&SignInIntent::Invite(id).at("/auth/sign-in")));
    };
    let (invites, caller) = (&browser.pages.steward.invites, caller(&browser, signed_in));
    let accepted = match form.text("decision") {
        "accept" => true,
        "decline" => false,
        _ => return Err(PageError::BadForm(StatusCode::BAD_REQUEST)),
    };
    let answered = match invites.own(&caller, id).await {
        Ok(found) if accepted => invites.accept(&caller, id).await.map(|_| found),
        Ok(found) => invites.decline(&caller, id).await.map(|()| found),
        Err(error) => Err(error),
    };
    match answered {
        Ok(found) => page(&views::InviteAnswered { team: found.team_name.as_str(), accepted }),
        Err(Error::NotFound(_)) => unknown(&browser, signed_in, id),
        Err(error) => Err(error.into()),
    }
}

/// The invite that the link names. One that cannot be is as unknown as any other.
fn named(form: &Form) -> Result<InviteId, PageError> {
    Ok(form.invite()?.ok_or(Error::NotFound(ResourceKind::Invite))?)
}

fn caller(browser: &Browser, signed_in: &SignedIn) -> Caller {
    Caller::new(Identity::Account(signed_in.account.id), browser.request.clone())
}

/// Nothing is here for this account; what there may be for another is not told.
fn unknown(browser: &Browser, signed_in: &SignedIn, id: InviteId) -> Result<HttpResponse, PageError> {
    let view = views::InviteUnknown {
        csrf: &browser.csrf(),
        intent: SignInIntent::Invite(id),
        account: signed_in.account.email.as_str(),
        verified: signed_in.account.email_verified,
    };
    told(browser, page_with(StatusCode::NOT_FOUND, &view, &AllowedOrigins::default())?)
}
