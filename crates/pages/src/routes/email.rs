//! Email confirmation. The link opens a page with a button, because mail scanners follow links. The person must be
//! signed in: otherwise, the owner of an address could unknowingly confirm it for someone else's account.

use actix_web::HttpRequest;
use steward_domain::identity::{Account, Choices, Confirming, Held, LinkPurpose, SignedIn};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::{Conditions, Operation};
use steward_domain::kernel::{Caller, PageRequest};

use super::continuation::with_browser_cookie;
use crate::error::{PageError, PageResult};
use crate::held;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::cookie::with_flash;
use crate::request::form::Form;
use crate::response::{page, see_other};
use crate::views;

/// Shows the button.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let token = query.text("token");
    let links = &browser.pages.steward.email_links;
    let held = links.held(LinkPurpose::VerifyEmail, token, browser.session.as_ref()).await?;
    if browser.session.is_none() {
        return Err(PageError::SignInFirst);
    }
    button(&browser, token, &held, &Choices::default())
}

fn button(browser: &Browser, token: &str, held: &Held, choices: &Choices) -> PageResult {
    let view = views::Verify { csrf: &browser.csrf(), token, held: &held::lines(held, choices) };
    with_browser_cookie(browser, page(&view)?)
}

/// Marks the email address as verified.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let signed_in = browser.session.as_ref().ok_or(PageError::SignInFirst)?;
    let (token, choices) = (form.text("token"), held::choices(&form)?);
    let links = &browser.pages.steward.email_links;
    if let Confirming::Undecided(held) = links.verify(browser.request.clone(), signed_in, token, &choices).await? {
        return button(&browser, token, &held, &choices);
    }
    let account = Account { email_verified: true, ..signed_in.account.clone() };
    let invite = newest_invite(&browser, &SignedIn { account, ..signed_in.clone() }).await?;
    Ok(page(&views::Verified { invite })?)
}

/// Returns the address of the newest pending invite, which can be answered now; `None` also if the account lacks
/// another condition.
async fn newest_invite(browser: &Browser, signed_in: &SignedIn) -> Result<Option<String>, Error> {
    let steward = &browser.pages.steward;
    let conditions = Operation::OwnInviteList.rule().conditions;
    if !signed_in.is_unlimited() || steward.accounts.check_conditions(conditions, signed_in).is_err() {
        return Ok(None);
    }
    let caller = Caller::signed_in(signed_in, browser.request.clone(), steward.clock.now());
    let invites = steward.invites.list_own(&caller, &PageRequest { limit: Some(1), ..PageRequest::FIRST }).await?;
    Ok(invites.items.first().map(|found| SignInIntent::Invite(found.invite.id.into()).at("/auth/invite")))
}

/// Asks a person to confirm the address of the account, which can do nothing before.
pub(crate) async fn show_required(browser: Browser) -> PageResult {
    match &browser.session {
        None => Ok(see_other("/auth/sign-in")),
        Some(signed_in) if is_confirmed(&browser, signed_in) => Ok(see_other("/")),
        Some(signed_in) => required(&browser, signed_in, false),
    }
}

/// Whether the account can do more than confirm its address.
fn is_confirmed(browser: &Browser, signed_in: &SignedIn) -> bool {
    browser.pages.steward.accounts.check_conditions(Conditions::Confirmed, signed_in).is_ok()
}

fn required(browser: &Browser, signed_in: &SignedIn, is_sent: bool) -> PageResult {
    let view = views::ConfirmEmail {
        csrf: &browser.csrf(),
        account: signed_in.account.email.shown(),
        is_sent,
        sends_emails: browser.pages.steward.email_changes.sends_emails(),
        may_change: browser.pages.steward.email_changes.allows(&signed_in.account, &signed_in.account.email),
    };
    with_browser_cookie(browser, page(&view)?)
}

/// Sends the confirmation email again.
pub(crate) async fn send(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let Some(signed_in) = &browser.session else { return Ok(see_other("/auth/sign-in")) };
    let (links, email) = (&browser.pages.steward.email_links, &signed_in.account.email);
    links.send(browser.request.clone(), LinkPurpose::VerifyEmail, email).await?;
    if !is_confirmed(&browser, signed_in) {
        return required(&browser, signed_in, true);
    }
    let message = match browser.pages.steward.email_changes.sends_emails() {
        true => "The email was sent. Its link can be used once and expires in one hour.",
        false => "The link was written to the log of the service. It can be used once and expires in one hour.",
    };
    Ok(with_flash(&browser.pages, see_other("/console/account"), message)?)
}
