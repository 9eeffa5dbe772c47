//! Errors in the layout of the console, so that a person who is signed in can go on from there.

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{ALLOW, RETRY_AFTER};
use actix_web::middleware::Next;
use actix_web::{FromRequest as _, HttpRequest, ResponseError as _};
use askama::Template;
use steward_domain::kernel::error::{Error, Forbidden, LoggedError, ResourceKind};

use crate::error::{PageError, PageResult};
use crate::wording::message::Message;

use super::shell::{Crumb, Shell};
use super::signed::Signed;

/// Middleware that replaces the page of an error. Everyone else, and everyone during an outage, gets the page without
/// the layout, which requires the database.
pub(crate) async fn show(request: ServiceRequest, next: Next<BoxBody>) -> Result<ServiceResponse, actix_web::Error> {
    let response = next.call(request).await?;
    let error = response.response().error().and_then(|error| error.as_error::<PageError>());
    let page = match error {
        Some(error) if is_of_request(error) => in_layout(response.request(), error).await.ok(),
        _ => None,
    };
    let Some(mut page) = page else { return Ok(response) };
    let logged = response.response().extensions().get::<LoggedError>().cloned();
    if let Some(error) = logged {
        page.extensions_mut().insert(error);
    }
    for name in [ALLOW, RETRY_AFTER] {
        if let Some(value) = response.headers().get(&name) {
            page.headers_mut().insert(name, value.clone());
        }
    }
    Ok(response.into_response(page))
}

/// Whether the request is the reason, and not the service. Redirects to the sign-in page are no pages.
fn is_of_request(error: &PageError) -> bool {
    !error.status_code().is_server_error() && !error.status_code().is_redirection()
}

async fn in_layout(request: &HttpRequest, error: &PageError) -> PageResult {
    let signed = Signed::extract(request).await?;
    let (title, message) = match error {
        // The console reads invites of a team, and links to a new address. The other pages read those of a person.
        PageError::Failed(Error::NotFound(ResourceKind::Invite)) => (
            Message::english("invite-not-found"),
            "The team has no such pending invite. It may have been accepted, declined, revoked or have expired."
                .to_owned(),
        ),
        PageError::Failed(Error::NotFound(ResourceKind::EmailLink)) => (
            Message::english("error-link"),
            "It can be used once, within one hour, by the account that requested it. A new password ends it too. \
             Request a new one."
                .to_owned(),
        ),
        // The API words it for the people who send requests.
        PageError::Failed(Error::Forbidden(Forbidden::MissingPermission(missing))) => {
            ("Your role does not permit this", format!("It requires the permission {missing}."))
        }
        error => {
            let (title, message, _) = error.content();
            (Message::english(title), message.to_string())
        }
    };
    let (advice, links) = (advice(error), links(&signed, error));
    let view = ErrorInLayout { shell: shell(&signed, title).await?, title, message, advice, links };
    signed.page_with(error.status_code(), &view)
}

/// Returns the layout of the project or team in the path, if the person may know it.
async fn shell(signed: &Signed, title: &'static str) -> Result<Shell, PageError> {
    if let Ok(scope) = signed.project().await {
        return scope.shell(signed, title).await;
    }
    if let Ok(scope) = signed.team().await {
        return scope.shell(signed, title).await;
    }
    match signed.path() {
        path if path.starts_with("/console/account") => signed.account_shell(title).await,
        path if path.starts_with("/console/operator") && signed.signed_in.account.is_operator => {
            signed.operator_shell(title).await
        }
        _ => signed.shell(vec![Crumb::here(title)], Vec::new()).await,
    }
}

/// Returns what the person can do about the error; empty if the message says it.
fn advice(error: &PageError) -> &'static str {
    match error {
        PageError::Failed(Error::NotFound(kind)) if !matches!(kind, ResourceKind::Invite | ResourceKind::EmailLink) => {
            "It may have been deleted, or your account may not have access to it. Check the address, or search for it."
        }
        PageError::Failed(Error::Forbidden(Forbidden::MissingPermission(_))) => {
            "Ask an owner or admin of the team for a role with this permission."
        }
        PageError::ForeignForm => {
            "If you reloaded a page that showed a new key, token or secret, nothing was changed again. Its value is \
             shown once: open its list to rotate it or to create another one."
        }
        _ => "",
    }
}

/// Returns the labels and addresses of the pages on which the person can go on.
fn links(signed: &Signed, error: &PageError) -> Vec<(&'static str, String)> {
    match error {
        PageError::Failed(Error::NotFound(ResourceKind::Invite)) => {
            let at = |page: &str| format!("/console/teams/{}/{page}", signed.parameter("team"));
            vec![("Members of the team", at("members")), ("Invites of the team", at("invites"))]
        }
        PageError::Failed(Error::NotFound(ResourceKind::EmailLink)) => {
            vec![("Change your email address", "/console/account/email".to_owned())]
        }
        _ => vec![("Go to the home page", "/".to_owned()), ("Search", "/console/search".to_owned())],
    }
}

#[derive(Template)]
#[template(path = "console/frame/error.html")]
struct ErrorInLayout {
    shell: Shell,
    title: &'static str,
    message: String,
    advice: &'static str,
    links: Vec<(&'static str, String)>,
}
