//! How a sign-in continues after one of its pages.

use actix_web::HttpResponse;
use steward_domain::identity::{AuthorizationStep, Pending};
use steward_domain::kernel::Secret;
use steward_domain::kernel::error::{Error, ResourceKind};

use crate::brand::Brand;
use crate::error::{PageError, PageResult};
use crate::form_post::form_post;
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::cookie::with_browser;
use crate::response::{AllowedOrigins, page, see_other, to_client};
use crate::views;
use crate::wording::reader::Reader;

/// Returns the response, with the browser's token if it is new.
pub(super) fn with_browser_cookie(browser: &Browser, response: HttpResponse) -> PageResult {
    if browser.is_new { Ok(with_browser(&browser.pages, response, &browser.token)?) } else { Ok(response) }
}

/// Redirects to the next page after signing in.
pub(super) fn redirect_after_sign_in(intent: Option<SignInIntent<'_>>) -> HttpResponse {
    match intent {
        Some(intent @ SignInIntent::Request(_)) => see_other(&intent.at("/auth/consent")),
        Some(intent @ SignInIntent::Invite(_)) => see_other(&intent.at("/auth/invite")),
        Some(SignInIntent::Page(address)) => see_other(address),
        None => see_other("/"),
    }
}

/// Returns the pending authorization request, if the person signs in for one.
pub(super) async fn pending(browser: &Browser, intent: Option<SignInIntent<'_>>) -> Result<Option<Pending>, PageError> {
    Ok(match intent {
        Some(SignInIntent::Request(id)) => Some(request(browser, id).await?),
        Some(SignInIntent::Invite(_) | SignInIntent::Page(_)) | None => None,
    })
}

/// Returns the pending authorization request with a one-time ID. From then on, the pages look like its project, and
/// have the language that the client requests.
pub(super) async fn request(browser: &Browser, id: &str) -> Result<Pending, PageError> {
    let steward = &browser.pages.steward;
    let pending = steward.authorizations.pending(id).await?;
    if let Some(brand) = Brand::of(&pending.client) {
        Reader::show(brand);
    }
    if let Some(tags) = &pending.request.parameters.ui_locales {
        Reader::prefer(tags);
    }
    Ok(pending)
}

/// Returns the intent and the authorization request, or neither if the request has ended while the person was
/// elsewhere.
pub(super) async fn usable<'a>(
    browser: &Browser,
    intent: Option<SignInIntent<'a>>,
) -> Result<(Option<SignInIntent<'a>>, Option<Pending>), PageError> {
    match pending(browser, intent).await {
        Ok(pending) => Ok((intent, pending)),
        Err(PageError::Failed(Error::NotFound(ResourceKind::AuthorizationRequest))) => Ok((None, None)),
        Err(error) => Err(error),
    }
}

pub(super) fn follow(next: &AuthorizationStep) -> Result<HttpResponse, Error> {
    let to = |path, request: &Secret| see_other(&SignInIntent::Request(request.expose()).at(path));
    Ok(match next {
        AuthorizationStep::SignIn { request, create: false } => to("/auth/sign-in", request),
        AuthorizationStep::SignIn { request, create: true } => to("/auth/sign-up", request),
        AuthorizationStep::Consent { request }
        | AuthorizationStep::Confirm { request }
        | AuthorizationStep::ConfirmEmail { request }
        | AuthorizationStep::SetUpSecondFactor { request, .. } => to("/auth/consent", request),
        AuthorizationStep::Redirect(address) => to_client(address),
        AuthorizationStep::Post(form) => form_post(form)?,
        AuthorizationStep::DeviceAnswered { is_allowed } => page(&views::DeviceAnswered { is_allowed: *is_allowed })?,
    })
}

/// Returns what a page for an authorization request may use from other origins. Its form redirects to the client.
pub(super) fn elsewhere(pending: Option<&Pending>) -> AllowedOrigins {
    AllowedOrigins { form: pending.is_some(), ..AllowedOrigins::default() }
}
