//! Routes of the pages, one file per topic.

mod consent;
mod email;
pub(crate) mod invite;
mod logout;
mod password;
mod sign_in;
mod sign_out;
mod sign_up;

use actix_web::http::Method;
use actix_web::http::header::{ALLOW, CACHE_CONTROL};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder, guard, web};
use steward_domain::model::Secret;
use steward_domain::usecases::{AuthorizationStep, Pending};

use crate::browser::Browser;
use crate::cookie::with_browser;
use crate::error::PageError;
use crate::intent::SignInIntent;
use crate::response::{AllowedOrigins, see_other, to_client};

pub(crate) use self::consent::line as scope_line;

const STYLE: &str = include_str!("../../assets/steward.css");
/// The methods of a page that is shown and submitted.
const FORM_METHODS: &str = "GET, HEAD, POST, OPTIONS";
const ICON: &str = include_str!("../../assets/steward.svg");

/// Returns every page.
pub(crate) fn all() -> Vec<Resource> {
    let pages = [
        page("/auth/sign-in", sign_in::show, sign_in::submit),
        page("/auth/sign-up", sign_up::show, sign_up::submit),
        page("/auth/consent", consent::show, consent::submit),
        page("/auth/invite", invite::show, invite::submit),
        page("/auth/sign-out", sign_out::show, sign_out::submit),
        page("/auth/logout", logout::show, logout::forward),
        page("/auth/logout/confirm", account, logout::confirm),
        page("/auth/forgot-password", password::show_forgot, password::submit_forgot),
        page("/auth/reset-password", password::show_reset, password::submit_reset),
        page("/auth/verify-email", email::show, email::submit),
        page("/auth/verify-email/send", account, email::send),
        page("/auth/confirm-email", email::show_required, email::send),
        page("/auth/sessions", account_sessions, account_sessions),
    ];
    let assets = [
        web::resource("/auth/style.css").get(|| async { asset("text/css; charset=utf-8", STYLE) }),
        web::resource("/auth/icon.svg").get(|| async { asset("image/svg+xml", ICON) }),
    ];
    pages.into_iter().flatten().chain(assets).collect()
}

/// Returns a page that is shown by GET and submitted by POST, with and without a trailing slash. Each path is a
/// separate resource, because two literal paths cost less per request than the regular expression that actix-web builds
/// for both.
pub(crate) fn page<S, A, T, B>(path: &str, show: S, take: T) -> [Resource; 2]
where
    S: Handler<A>,
    A: FromRequest + 'static,
    S::Output: Responder + 'static,
    T: Handler<B>,
    B: FromRequest + 'static,
    T::Output: Responder + 'static,
{
    [path.to_owned(), format!("{path}/")].map(|path| {
        let is_read = guard::Any(guard::Get()).or(guard::Head());
        web::resource(path)
            .route(web::route().guard(is_read).to(show.clone()))
            .route(web::method(Method::POST).to(take.clone()))
            .default_service(web::to(|request| other_method(request, FORM_METHODS)))
    })
}

/// Redirects to the person's account, from paths that only accept POST.
async fn account() -> HttpResponse {
    see_other("/console/account")
}

/// Redirects to the person's sessions. Clients and documents link to this address, which does not change.
async fn account_sessions() -> HttpResponse {
    see_other("/console/account/sessions")
}

/// Returns the methods of a page, or refuses a method that it does not have.
pub(crate) async fn other_method(request: HttpRequest, allowed: &'static str) -> Result<HttpResponse, PageError> {
    match *request.method() {
        Method::OPTIONS => Ok(HttpResponse::NoContent().insert_header((ALLOW, allowed)).finish()),
        _ => Err(PageError::OtherMethod { allowed }),
    }
}

pub(crate) fn asset(media_type: &str, text: &'static str) -> HttpResponse {
    HttpResponse::Ok().content_type(media_type).insert_header((CACHE_CONTROL, "public, max-age=3600")).body(text)
}

/// Returns the response, with the browser's token if it is new.
pub(crate) fn with_browser_cookie(browser: &Browser, response: HttpResponse) -> Result<HttpResponse, PageError> {
    if browser.is_new { Ok(with_browser(&browser.pages, response, &browser.token)?) } else { Ok(response) }
}

/// Redirects to the next page after signing in.
fn redirect_after_sign_in(intent: Option<SignInIntent<'_>>) -> HttpResponse {
    match intent {
        Some(intent @ SignInIntent::Request(_)) => see_other(&intent.at("/auth/consent")),
        Some(intent @ SignInIntent::Invite(_)) => see_other(&intent.at("/auth/invite")),
        Some(SignInIntent::Page(address)) => see_other(address),
        None => see_other("/"),
    }
}

fn follow(next: &AuthorizationStep) -> HttpResponse {
    let to = |path, request: &Secret| see_other(&SignInIntent::Request(request.expose()).at(path));
    match next {
        AuthorizationStep::SignIn { request, create: false } => to("/auth/sign-in", request),
        AuthorizationStep::SignIn { request, create: true } => to("/auth/sign-up", request),
        AuthorizationStep::Consent { request }
        | AuthorizationStep::Confirm { request }
        | AuthorizationStep::ConfirmEmail { request } => to("/auth/consent", request),
        AuthorizationStep::Redirect(address) => to_client(address),
    }
}

/// Returns what a page for an authorization request may use from other origins. Its form redirects to the client.
fn elsewhere(pending: Option<&Pending>) -> AllowedOrigins<'_> {
    AllowedOrigins { form: pending.is_some(), images: Vec::new() }
}
