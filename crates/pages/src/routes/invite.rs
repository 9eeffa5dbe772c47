//! The page that an invite link opens. The link grants no access. The one in the email has a proof of the address: it
//! shows the invite before anyone signs in, and confirms the address of the account that answers. Without the proof,
//! only the invited account sees the invite, and nobody else learns whether it exists. Without a mail server, the link that
//! the inviter passes on has a secret: any one account joins with it, and it confirms no address.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use steward_domain::administration::InviteOffer;
use steward_domain::identity::{Email, SignedIn};
use steward_domain::kernel::error::{AuthenticationError, Error, ErrorCode, ResourceKind};
use steward_domain::kernel::{AccountId, Caller, Identity};

use super::continuation::with_browser_cookie;
use crate::error::{PageError, PageResult};
use crate::intent::{InviteLink, SignInIntent};
use crate::invite_details::InviteDetails;
use crate::request::browser::Browser;
use crate::request::form::Form;
use crate::response::{AllowedOrigins, page, page_with, see_other, with_code};
use crate::views;

/// Shows the invite to the invited account, and to everyone who has its emailed link. Asks everyone else who is not
/// signed in to sign in, whether or not the invite exists.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let link = invite_link(&query)?;
    let offer = offered(&browser, link).await?;
    let accepts_sign_ups = browser.pages.steward.accounts.accepts_sign_ups();
    let (offer, signed_in) = match (offer, browser.unlimited_session()) {
        (Some(offer), None) => {
            let view = views::InviteOffer {
                intent: SignInIntent::Invite(link),
                details: &InviteDetails::of(&offer.found, &offer.inviter),
                email: offer.email.as_ref().map(Email::shown),
                has_account: offer.has_account,
                accepts_sign_ups,
            };
            return Ok(page(&view)?);
        }
        (None, None) => {
            browser.pages.steward.first_operator.require_claimed().await?;
            return Ok(page(&views::Invited { intent: SignInIntent::Invite(link), accepts_sign_ups })?);
        }
        (offer, Some(signed_in)) => (offer, signed_in),
    };
    // The answer confirms an address for which the link has a proof.
    let own = &signed_in.account.email;
    let proves = |offer: &InviteOffer| offer.email.as_ref() == Some(own) && !signed_in.account.email_verified;
    if !offer.as_ref().is_some_and(proves)
        && let Err(error) = browser.person()
    {
        return refused(link, error);
    }
    match offer {
        Some(InviteOffer { email: Some(email), found, inviter, .. }) if email != *own => {
            other_account(&browser, signed_in, link, &email, &InviteDetails::of(&found, &inviter))
        }
        Some(InviteOffer { email, found, inviter, .. }) => {
            ask(&browser, signed_in, link, &InviteDetails::of(&found, &inviter), email.is_some())
        }
        None => match browser.pages.steward.invites.own(&caller(&browser, signed_in), link.id).await {
            Ok((found, inviter)) => ask(&browser, signed_in, link, &InviteDetails::of(&found, &inviter), true),
            Err(Error::NotFound(_)) => unknown(&browser, signed_in, link).await,
            Err(error) => Err(error.into()),
        },
    }
}

/// Accepts or declines the invite. With the proof in the link, confirms the address of the account first.
pub(crate) async fn submit(mut browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let link = invite_link(&form)?;
    let accepted = match form.text("decision") {
        "accept" => true,
        "decline" => false,
        _ => return Err(PageError::InvalidForm(StatusCode::BAD_REQUEST)),
    };
    if let Some(unconfirmed) = browser.unlimited_session().filter(|session| !session.account.email_verified) {
        let is_confirmed = confirm_address(&browser, unconfirmed.account.id, link).await?;
        if let Some(session) = &mut browser.session {
            session.account.email_verified = is_confirmed;
        }
    }
    let signed_in = match browser.person() {
        Ok(Some(signed_in)) => signed_in,
        Ok(None) => return Ok(see_other(&SignInIntent::Invite(link).at("/auth/sign-in"))),
        Err(error) => return refused(link, error),
    };
    let (invites, caller) = (&browser.pages.steward.invites, caller(&browser, signed_in));
    let found = match offered(&browser, link).await? {
        Some(InviteOffer { email: None, found, .. }) => Ok(found),
        _ => invites.own(&caller, link.id).await.map(|(found, _)| found),
    };
    let result = match found {
        Ok(found) if accepted => invites.accept(&caller, link.id, link.proof).await.map(|_| found),
        Ok(found) => invites.decline(&caller, link.id).await.map(|()| found),
        Err(error) => Err(error),
    };
    match result {
        Ok(found) => Ok(page(&views::InviteDecided { team: found.team_name.as_str(), accepted })?),
        Err(Error::NotFound(_)) => unknown(&browser, signed_in, link).await,
        Err(error) => Err(error.into()),
    }
}

/// Leads a person whose account does not meet the conditions of the page to what meets them. A person who did not use
/// the second factor signs in again, and returns.
fn refused(link: InviteLink<'_>, error: Error) -> PageResult {
    match error {
        Error::Unauthenticated(AuthenticationError::SecondFactorUnused) => {
            Ok(see_other(&SignInIntent::Invite(link).at("/auth/sign-in")))
        }
        error => Err(error.into()),
    }
}

/// Returns the link. A malformed one is reported as an unknown invite.
fn invite_link(form: &Form) -> Result<InviteLink<'_>, PageError> {
    Ok(form.invite()?.ok_or(Error::NotFound(ResourceKind::Invite))?)
}

/// Returns the invite of a link; `None` if the link has no valid proof or secret.
pub(super) async fn offered(browser: &Browser, link: InviteLink<'_>) -> Result<Option<InviteOffer>, PageError> {
    let Some(proof) = link.proof else { return Ok(None) };
    match browser.pages.steward.invites.offered(link.id, proof).await {
        Ok(offer) => Ok(Some(offer)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Confirms the address of an account with the proof in the link, if it is of this address. Returns whether it did.
pub(super) async fn confirm_address(
    browser: &Browser,
    account: AccountId,
    link: InviteLink<'_>,
) -> Result<bool, PageError> {
    let Some(proof) = link.proof else { return Ok(false) };
    let caller = Caller::new(Identity::Account(account), browser.request.clone());
    match browser.pages.steward.invites.confirm_address(&caller, link.id, proof).await {
        Ok(()) => Ok(true),
        Err(Error::NotFound(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn caller(browser: &Browser, signed_in: &SignedIn) -> Caller {
    Caller::signed_in(signed_in, browser.request.clone(), browser.pages.steward.clock.now())
}

/// Asks the invited account whether to join.
fn ask(
    browser: &Browser,
    signed_in: &SignedIn,
    link: InviteLink<'_>,
    details: &InviteDetails,
    may_decline: bool,
) -> PageResult {
    let view = views::Invite {
        csrf: &browser.csrf(),
        intent: SignInIntent::Invite(link),
        account: signed_in.account.email.shown(),
        details,
        may_decline,
    };
    with_browser_cookie(browser, page(&view)?)
}

/// Says that the invite is for another address than that of the signed-in account.
fn other_account(
    browser: &Browser,
    signed_in: &SignedIn,
    link: InviteLink<'_>,
    email: &Email,
    details: &InviteDetails,
) -> PageResult {
    let view = views::InviteOther {
        csrf: &browser.csrf(),
        intent: SignInIntent::Invite(link),
        account: signed_in.account.email.shown(),
        email: email.shown(),
        details,
    };
    with_browser_cookie(browser, page(&view)?)
}

/// Reports that there is no invite for this account, without revealing whether there is one for another; or that there
/// is one, once the address of the account is confirmed.
async fn unknown(browser: &Browser, signed_in: &SignedIn, link: InviteLink<'_>) -> PageResult {
    let caller = caller(browser, signed_in);
    let view = views::InviteUnknown {
        csrf: &browser.csrf(),
        intent: SignInIntent::Invite(link),
        account: signed_in.account.email.shown(),
        awaits_confirmation: browser.pages.steward.invites.awaits_confirmation(&caller, link.id).await?,
        sends_emails: browser.pages.steward.email_changes.sends_emails(),
    };
    let page = page_with(StatusCode::NOT_FOUND, &view, &AllowedOrigins::default())?;
    with_browser_cookie(browser, with_code(page, ErrorCode::NotFound))
}
