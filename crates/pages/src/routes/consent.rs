//! The consent page: shows the scopes that a project requests and asks whether to grant them, or, if they are granted
//! but any program could have sent the request, whether to continue.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::identity::{AuthorizationStep, Pending, RedirectUri, Scope, SignedIn};
use steward_domain::kernel::error::{Error, Forbidden};

use super::continuation::{follow, request as authorization_request, with_browser_cookie};
use crate::error::PageResult;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::form::Form;
use crate::response::{AllowedOrigins, page, page_with, see_other};
use crate::views::{self, ScopeLine, WaitingDevice};

/// Shows the consent form, unless consent was granted before and the redirect URI proves the client.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let id = query.request()?.unwrap_or_default();
    let authorizations = &browser.pages.steward.authorizations;
    let pending = authorization_request(&browser, id).await?;
    let Some(signed_in) = &browser.session else {
        return Ok(see_other(&SignInIntent::Request(id).at(page_for(&pending))));
    };
    if let Some(page) = asks_for_code(&browser, id, &pending) {
        return Ok(page);
    }
    let postponed = query.text("second_factor") == "later";
    match authorizations.proceed(&browser.request, id, &pending, signed_in, postponed).await? {
        AuthorizationStep::Consent { .. } => ask(&browser, id, &pending, signed_in, false),
        AuthorizationStep::ConfirmEmail { .. } => Err(Error::from(Forbidden::UnconfirmedEmail).into()),
        AuthorizationStep::SetUpSecondFactor { due, .. } => {
            let view = views::SecondFactorRequired {
                intent: SignInIntent::Request(id),
                client: pending.client.name(),
                account: signed_in.account.email.shown(),
                due: due.map(Into::into),
            };
            with_browser_cookie(&browser, page(&view)?)
        }
        AuthorizationStep::Confirm { .. } => ask(&browser, id, &pending, signed_in, true),
        next => Ok(follow(&next)?),
    }
}

/// Sends the decision to the client.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let id = form.request()?.unwrap_or_default();
    let Some(signed_in) = &browser.session else {
        return Ok(see_other(&SignInIntent::Request(id).at("/auth/sign-in")));
    };
    let authorizations = &browser.pages.steward.authorizations;
    let pending = authorization_request(&browser, id).await?;
    if let Some(page) = asks_for_code(&browser, id, &pending) {
        return Ok(page);
    }
    let allowed = form.text("decision") == "allow";
    let next = authorizations.decide(&browser.request, id, pending, signed_in, allowed).await?;
    Ok(follow(&next)?)
}

/// Returns to the page that asks for the code of the device, if it was entered in another browser: otherwise a link
/// would lead a person to the decision about the device of a stranger (RFC 8628 §5.4).
fn asks_for_code(browser: &Browser, id: &str, pending: &Pending) -> Option<HttpResponse> {
    let elsewhere = pending.device.as_ref().filter(|_| browser.device_request.expose() != id);
    elsewhere.map(|device| see_other(&format!("/auth/device?user_code={}", device.user_code)))
}

fn page_for(pending: &Pending) -> &'static str {
    if pending.request.parameters.prompt.create { "/auth/sign-up" } else { "/auth/sign-in" }
}

/// Shows the form. `is_granted`: earlier consent covers the request, so the user only confirms it. The page lists the
/// scopes also then, so that confirming is consent if the grant is revoked in the meantime.
fn ask(browser: &Browser, id: &str, pending: &Pending, signed_in: &SignedIn, is_granted: bool) -> PageResult {
    // The website of the project would make a client that registered itself look trusted.
    let project = pending.client.project.as_ref().filter(|_| !pending.client.registered_itself());
    let icon = pending.client.icon_path();
    let scopes: Vec<ScopeLine> = pending.scopes().iter().map(line).collect();
    let redirect_uri = pending.request.redirect_uri();
    let origin = redirect_uri.map(RedirectUri::origin);
    let device = pending.device.as_ref().map(|device| WaitingDevice {
        user_code: device.user_code.as_str(),
        requested_from: device.requested_from.map(|address| address.to_string()),
    });
    let view = views::Consent {
        csrf: &browser.csrf(),
        request: id,
        client: pending.client.name(),
        icon: icon.as_deref(),
        website: project.and_then(|project| project.website.as_ref().map(|website| website.as_str())),
        destination: origin.as_deref(),
        device,
        account: signed_in.account.email.shown(),
        scopes: &scopes,
        is_granted,
        origin: pending.client.origin(),
        is_on_the_device: redirect_uri.is_some_and(|uri| !uri.is_on_the_web()),
    };
    let allowed = AllowedOrigins { form: redirect_uri.is_some(), ..AllowedOrigins::default() };
    with_browser_cookie(browser, page_with(StatusCode::OK, &view, &allowed)?)
}

/// Returns the description of a scope.
pub(crate) fn line(scope: Scope) -> ScopeLine {
    let (title, detail) = match scope {
        Scope::OpenId => ("scope-openid", "scope-openid-detail"),
        Scope::Profile => ("scope-profile", "scope-profile-detail"),
        Scope::Email => ("scope-email", "scope-email-detail"),
        Scope::OfflineAccess => ("scope-offline-access", "scope-offline-access-detail"),
        Scope::DbRead => ("scope-db-read", "scope-db-read-detail"),
        Scope::DbWrite => ("scope-db-write", "scope-db-write-detail"),
        Scope::ProfileRead => ("scope-profile-read", "scope-profile-read-detail"),
        Scope::ProfileWrite => ("scope-profile-write", "scope-profile-write-detail"),
        Scope::AppAdmin => ("scope-app-admin", "scope-app-admin-detail"),
        Scope::Admin => ("scope-admin", "scope-admin-detail"),
    };
    ScopeLine { title, detail }
}
