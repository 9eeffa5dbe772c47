//! The console: pages on which people administer their teams and projects. One folder per concept, one file per topic,
//! with its handlers and views; [`frame`] has what they share. [`routes`] lists all pages.

mod administration;
mod data;
pub(crate) mod frame;
mod home;
mod identity;
mod routes;

use actix_web::body::MessageBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::ErrorInternalServerError;
use actix_web::http::StatusCode;
use actix_web::middleware::{Next, from_fn};
use actix_web::{FromRequest as _, HttpMessage as _, HttpRequest, Resource, web};
use steward_web::limit_time;

use crate::Pages;
use crate::error::{PageError, PageResult};
use crate::request::browser::Browser;
use crate::request::cookie::{KNOWN_BROWSER, of_browser};
use crate::response::{page, see_other};
use crate::views;

pub(crate) use self::routes::{PAGES, STYLE};

use self::frame::{RenewedSession, Signed, error_page};

/// Mounts the pages of the console, in a scope of their own.
pub(crate) fn configure(app: &mut web::ServiceConfig) {
    let timed = |resource: Resource| resource.wrap(from_fn(limit_time));
    let root = web::resource(["", "/"]).route(web::to(|| async { see_other("/") }));
    let scope = web::scope("/console").service(timed(root));
    let scope = routes::all().into_iter().fold(scope, |scope, resource| scope.service(timed(resource)));
    let scope = scope.default_service(web::to(no_page)).wrap(from_fn(error_page::show));
    app.service(scope.wrap(from_fn(set_renewed_session)));
}

/// Returns the page at `/`: the landing page, or the home of a person who is signed in.
pub(crate) async fn home_page(request: &HttpRequest) -> PageResult {
    let browser = Browser::from_request(request, &mut Payload::None).await?;
    if browser.unlimited_session().is_none() {
        let steward = &browser.pages.steward;
        // The page is shown without the hint if the database is not available.
        let awaits_operator = matches!(steward.first_operator.is_claimed().await, Ok(false));
        let accepts_sign_ups = steward.accounts.accepts_sign_ups();
        return Ok(page(&views::Landing { accepts_sign_ups, awaits_operator })?);
    }
    home::overview::show(Signed::of(browser, request.clone())?).await
}

async fn no_page(_: HttpRequest) -> PageResult {
    Err(PageError::NoPage(StatusCode::NOT_FOUND))
}

/// Adds the cookies of a session that was renewed while the request was processed, also to an error. The previous
/// cookie is no longer valid.
async fn set_renewed_session<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let mut response = next.call(request).await?;
    let renewed = response.request().extensions_mut().remove::<RenewedSession>();
    let pages = response.request().app_data::<web::Data<Pages>>().cloned();
    if let (Some(RenewedSession { token, known }), Some(pages)) = (renewed, pages) {
        // A page that ends the session deletes the cookie.
        let is_set = response.response().cookies().any(|cookie| cookie.name() == pages.browser_cookie);
        if !is_set {
            for cookie in [of_browser(&pages, &token), KNOWN_BROWSER.with_value(&pages, known.expose())] {
                response.response_mut().add_cookie(&cookie).map_err(ErrorInternalServerError)?;
            }
        }
    }
    Ok(response)
}
