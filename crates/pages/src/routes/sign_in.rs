//! Signing in.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use steward_domain::error::{AuthenticationFault, Error};
use steward_domain::model::Secret;
use steward_domain::usecases::{Login, Next, Pending};

use super::{elsewhere, follow, onwards, told};
use crate::answer::{page_with, with_browser, with_known_browser};
use crate::browser::Browser;
use crate::errand::Errand;
use crate::fault::{Fault, sentence};
use crate::form::Form;
use crate::views;

/// Asks who it is, unless that is known and good enough.
pub(crate) async fn show(browser: Browser, request: HttpRequest) -> Result<HttpResponse, Fault> {
    let query = Form::of_query(&request);
    let errand = query.errand()?;
    let authorizations = &browser.pages.steward.authorizations;
    let pending = pending(&browser, errand).await?;
    match (&browser.signed_in, errand) {
        (Some(signed_in), Some(Errand::Request(id))) => {
            let next = authorizations.proceed(&browser.request, id, signed_in).await?;
            if !matches!(next, Next::SignIn { .. }) {
                return Ok(follow(&next));
            }
        }
        (Some(_), _) => return Ok(onwards(errand)),
        (None, _) => {}
    }
    let hint = pending.as_ref().and_then(|pending| pending.request.wish.login_hint.as_deref());
    form(&browser, StatusCode::OK, errand, pending.as_ref(), hint.unwrap_or_default(), None)
}

/// Signs in.
pub(crate) async fn take(browser: Browser, form: Form) -> Result<HttpResponse, Fault> {
    browser.check(&form)?;
    let steward = &browser.pages.steward;
    let (errand, login) = (form.errand()?, form.text("login"));
    let password = Secret::new(form.text("password").to_owned());
    let refused = match steward
        .accounts
        .authenticate(&browser.request, &Login::parse(login), password, browser.known.expose())
        .await
    {
        Ok(authenticated) => {
            let (request, before) = (browser.request.clone(), browser.signed_in.clone());
            let known = browser.remembered(&authenticated)?;
            let session = steward.sessions.begin(request, authenticated, &browser.user_agent, before).await?;
            let response = with_browser(&browser.pages, onwards(errand), &session.secret)?;
            return with_known_browser(&browser, response, &known);
        }
        Err(error) => error,
    };
    let status = match &refused {
        Error::Unauthenticated(AuthenticationFault::WrongPassword) => StatusCode::BAD_REQUEST,
        Error::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
        _ => return Err(refused.into()),
    };
    let pending = pending(&browser, errand).await?;
    self::form(&browser, status, errand, pending.as_ref(), login, Some(&sentence(&refused)))
}

/// The client's request that the person came for.
pub(super) async fn pending(browser: &Browser, errand: Option<Errand<'_>>) -> Result<Option<Pending>, Fault> {
    Ok(match errand {
        Some(Errand::Request(id)) => Some(browser.pages.steward.authorizations.pending(id).await?),
        Some(Errand::Invite(_)) | None => None,
    })
}

fn form(
    browser: &Browser,
    status: StatusCode,
    errand: Option<Errand<'_>>,
    pending: Option<&Pending>,
    login: &str,
    fault: Option<&str>,
) -> Result<HttpResponse, Fault> {
    let client = pending.map(|pending| pending.client.name());
    let takes_sign_ups = browser.pages.steward.accounts.takes_sign_ups();
    let view = views::SignIn { csrf: &browser.csrf(), errand, client, login, fault, takes_sign_ups };
    told(browser, page_with(status, &view, &elsewhere(pending))?)
}
