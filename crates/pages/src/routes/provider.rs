//! Signing in at identity providers.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::identity::{Email, Pending, ProviderCallback, ProviderOutcome, ProviderSignInStart};
use steward_domain::kernel::error::{AuthenticationError, Error, Forbidden, ResourceKind};
use steward_domain::kernel::{IdentityProviderId, Secret};
use url::form_urlencoded;

use super::completion::continue_sign_in;
use super::continuation::{pending, usable};
use super::offered_providers::required_for;
use super::sign_in_form::form as sign_in_form;
use crate::error::{PageError, PageResult};
use crate::intent::SignInIntent;
use crate::request::browser::Browser;
use crate::request::cookie::{IDENTITY, with_flash};
use crate::request::form::Form;
use crate::response::{see_other, to_client, with_code};
use crate::wording::explanation::sentence;

/// The page that lists the linked identities.
const IDENTITIES: &str = "/console/account/identities";
/// The page on which a person chooses what the account keeps before its address is confirmed.
const CONFIRM: &str = "/auth/sign-in/provider/confirm";
/// The parameters of a response that are used (RFC 6749 §4.1.2, RFC 9207 §2).
const PARAMETERS: [&str; 4] = ["code", "state", "iss", "error"];

/// Returns the redirect to the provider at which a person with this address has to sign in.
pub(super) async fn required_provider(
    browser: &Browser,
    intent: Option<SignInIntent<'_>>,
    login: &str,
) -> Result<Option<HttpResponse>, PageError> {
    let Ok(email) = Email::parse(login) else { return Ok(None) };
    let Some(provider) = required_for(browser, &email).await? else { return Ok(None) };
    let pending = pending(browser, intent).await?;
    match begin(browser, provider.id, intent, pending.as_ref(), Some(login)).await {
        Ok(address) => Ok(Some(to_client(&address))),
        // Operators can sign in also if the provider fails. Others are refused later.
        Err(Error::Unauthenticated(AuthenticationError::ProviderFailed)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn begin(
    browser: &Browser,
    provider: IdentityProviderId,
    intent: Option<SignInIntent<'_>>,
    pending: Option<&Pending>,
    login: Option<&str>,
) -> Result<String, Error> {
    let query = intent.map(|intent| intent.at("")).unwrap_or_default();
    let parameters = pending.map(|pending| &pending.request.parameters);
    let start = ProviderSignInStart {
        query: query.trim_start_matches('?'),
        project: pending.and_then(|pending| pending.client.id.project()),
        login_hint: login.or_else(|| parameters.and_then(|parameters| parameters.login_hint.as_deref())),
        must_authenticate: parameters.is_some_and(|parameters| parameters.prompt.login || parameters.max_age.is_some()),
        link_to: None,
    };
    browser.pages.steward.provider_sign_ins.begin(&browser.request, &browser.token, provider, start).await
}

/// The sign-in page has the form.
pub(crate) async fn back() -> HttpResponse {
    see_other("/auth/sign-in")
}

/// Redirects to the provider that the person chose.
pub(crate) async fn submit(browser: Browser, form: Form) -> PageResult {
    browser.check(&form)?;
    let intent = form.intent()?;
    let not_found = || Error::NotFound(ResourceKind::IdentityProvider);
    let id = IdentityProviderId::parse(form.text("provider")).ok_or_else(not_found)?;
    let pending = pending(&browser, intent).await?;
    match begin(&browser, id, intent, pending.as_ref(), None).await {
        Ok(address) => Ok(to_client(&address)),
        Err(error) => refused(&browser, intent, error).await,
    }
}

/// Continues with the response of a provider that sends it as a form, from its own pages. The browser sends the cookies
/// of this service only with the redirect.
pub(crate) async fn forward(request: HttpRequest, form: Form) -> HttpResponse {
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form.fields().filter(|(name, _)| PARAMETERS.contains(name)))
        .finish();
    see_other(&format!("{}?{query}", request.path()))
}

/// Finishes a sign-in with the response of the provider.
pub(crate) async fn callback(browser: Browser, request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let id = IdentityProviderId::parse(request.match_info().get("provider").unwrap_or_default());
    let sign_ins = &browser.pages.steward.provider_sign_ins;
    let Some(state) = id.and_then(|id| sign_ins.resume(&browser.token, id, query.text("state"))) else {
        return refused(&browser, None, AuthenticationError::OutdatedProviderSignIn.into()).await;
    };
    let callback =
        ProviderCallback { code: query.given("code"), issuer: query.given("iss"), error: query.given("error") };
    let outcome =
        sign_ins.finish(&browser.request, &browser.token, &state, &callback, browser.unlimited_session()).await;
    if state.links() {
        return linked(&browser, outcome);
    }
    let reason = Form::of_text(&state.query);
    let (intent, _) = usable(&browser, reason.intent()?).await?;
    follow(&browser, intent, outcome).await
}

/// Continues after a sign-in at a provider.
pub(super) async fn follow(
    browser: &Browser,
    intent: Option<SignInIntent<'_>>,
    outcome: Result<ProviderOutcome, Error>,
) -> PageResult {
    match outcome {
        Ok(ProviderOutcome::SignedIn(progress)) => match continue_sign_in(browser, *progress, intent).await {
            Err(PageError::Failed(error)) => refused(browser, intent, error).await,
            result => result,
        },
        Ok(ProviderOutcome::Undecided(identity)) => ask(browser, intent, &identity),
        Ok(ProviderOutcome::SignInFirst(cookie)) => {
            let address = intent.map_or_else(|| "/auth/sign-in".to_owned(), |intent| intent.at("/auth/sign-in"));
            Ok(IDENTITY.set(&browser.pages, see_other(&address), cookie.expose())?)
        }
        Ok(ProviderOutcome::Linked) => Ok(see_other(IDENTITIES)),
        Err(error) => refused(browser, intent, error).await,
    }
}

/// Continues on the page that asks for choices, with an identity that waits.
fn ask(browser: &Browser, intent: Option<SignInIntent<'_>>, identity: &Secret) -> PageResult {
    let address = intent.map_or_else(|| CONFIRM.to_owned(), |intent| intent.at(CONFIRM));
    Ok(IDENTITY.set(&browser.pages, see_other(&address), identity.expose())?)
}

/// Returns to the list of identities after one was linked, or could not be linked.
fn linked(browser: &Browser, outcome: Result<ProviderOutcome, Error>) -> PageResult {
    let message = match outcome {
        Ok(_) => "The identity was linked.".to_owned(),
        Err(error @ (Error::Unauthenticated(_) | Error::NotFound(_))) => sentence(&error),
        Err(error) => return Err(error.into()),
    };
    Ok(with_flash(&browser.pages, see_other(IDENTITIES), &message)?)
}

/// Shows the sign-in page again.
async fn refused(browser: &Browser, intent: Option<SignInIntent<'_>>, error: Error) -> PageResult {
    let status = match &error {
        Error::Unauthenticated(refused) if refused.is_of_provider() => StatusCode::BAD_REQUEST,
        Error::Forbidden(
            Forbidden::SignUpClosed
            | Forbidden::SignUpByInvite
            | Forbidden::SignUpDomain(_)
            | Forbidden::ProviderRequired(_),
        ) => StatusCode::FORBIDDEN,
        Error::Invalid(_) => StatusCode::BAD_REQUEST,
        Error::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
        _ => return Err(error.into()),
    };
    let pending = pending(browser, intent).await?;
    let page = sign_in_form(browser, status, intent, pending.as_ref(), "", Some(&error)).await?;
    Ok(with_code(page, error.code()))
}
