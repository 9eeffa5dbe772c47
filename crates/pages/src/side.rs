//! The pages as a side of the service: which requests they serve, the home page, and pages that show errors of the API.

use std::sync::Arc;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderMap;
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{HttpRequest, HttpResponse, ResponseError as _, web};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::Steward;
use steward_domain::identity::FormPost;
use steward_domain::kernel::SecurityContacts;
use steward_domain::kernel::policy::{Conditions, Lane};
use steward_web::RateClass;
use steward_web::{CredentialSource, PageSide, Route};

use crate::error::{self, PageError};
use crate::form_post::form_post;
use crate::wording::explanation::Explanation;
use crate::wording::language::Language;
use crate::wording::reader::Reader;
use crate::{Pages, console, docs, routes};

impl Pages {
    /// Creates the pages. `browser_cookie`: the name of the cookie that identifies a browser. `allow_private_webhooks`:
    /// whether webhooks and logout tokens may be sent to private networks. `security_contacts`: where people report
    /// vulnerabilities.
    pub fn new(
        steward: Arc<Steward>,
        browser_cookie: &'static str,
        allow_private_webhooks: bool,
        security_contacts: SecurityContacts,
    ) -> Self {
        Language::load_all();
        let host = steward.address.hostname().into();
        let security_contacts = Arc::new(security_contacts);
        Self { steward, browser_cookie, allow_private_webhooks, security_contacts, host, console: console::PAGES }
    }
}

impl PageSide for Pages {
    fn find(&self, request: &ServiceRequest) -> Option<Route> {
        // Without percent-encoding, as the router compares it.
        let (path, method) = (request.match_info().as_str(), request.method());
        if let Some(route) = docs::route(request) {
            return Some(route);
        }
        let is_below_console = path == "/console" || path.starts_with("/console/");
        let table = if is_below_console { console::PAGES } else { routes::PAGES };
        // As the router, the first one.
        let page = table.iter().find(|page| page.is_at(path));
        if page.is_none() && !is_below_console {
            return None;
        }
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let rate_of_unknown = || if is_read { RateClass::Reads } else { RateClass::Writes };
        Some(Route {
            path: page.map(|page| page.path),
            conditions: page.map_or(Conditions::All, |page| page.conditions),
            rate: page.map_or_else(rate_of_unknown, |page| page.rate_of(method)),
            lane: page.map_or(Lane::Interactive, |page| page.lane),
            credential: if is_below_console { CredentialSource::Cookie } else { CredentialSource::Header },
            ..Route::default()
        })
    }

    fn home_page(&self, request: HttpRequest) -> LocalBoxFuture<'static, HttpResponse> {
        let reader = self.reader(request.headers());
        let page = async move { console::home_page(&request).await.unwrap_or_else(|error| error.error_response()) };
        reader.scope(page).boxed_local()
    }

    fn docs_home(&self, request: &HttpRequest) -> HttpResponse {
        docs::home(self, request)
    }

    fn form_post(&self, request: &HttpRequest, form: &FormPost) -> HttpResponse {
        let page = || form_post(form).unwrap_or_else(|error| PageError::from(error).error_response());
        self.reader(request.headers()).enter(page)
    }

    fn error_page(&self, request: &HttpRequest, status: StatusCode, message: &str) -> HttpResponse {
        self.reader(request.headers()).enter(|| error_for_reader(status, message))
    }
}

impl Pages {
    fn reader(&self, headers: &HeaderMap) -> Reader {
        Reader::new(headers, &self.host)
    }
}

/// Returns the page of an error of the API. An address without a page has the words of any other one.
fn error_for_reader(status: StatusCode, message: &str) -> HttpResponse {
    let message = Explanation::untranslated(message);
    match status {
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => PageError::NoPage(status).error_response(),
        status if status.is_server_error() => error::page(status, "error-failure", message, None),
        status => error::page(status, "error-request", message, None),
    }
}

/// Middleware that handles a request for its reader.
pub(crate) async fn for_reader<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    match request.app_data::<web::Data<Pages>>().map(|pages| pages.reader(request.headers())) {
        Some(reader) => reader.scope(next.call(request)).await,
        None => next.call(request).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_count_as_what_they_do() {
        let class = |method: Method, path: &str| {
            let all = console::PAGES.iter().chain(routes::PAGES);
            all.filter(|page| page.is_at(path)).map(|page| page.rate_of(&method)).next().unwrap()
        };
        for (path, read, submitted) in [
            ("/console/teams/t1", RateClass::Reads, RateClass::Writes),
            ("/console/teams/t1/audit", RateClass::Costly, RateClass::Costly),
            ("/console/projects/p1/users/u1/tables/notes/export", RateClass::Costly, RateClass::Costly),
            ("/console/projects/p1/users/u1/tables/notes/import/", RateClass::Costly, RateClass::Costly),
            ("/auth/sign-in", RateClass::Reads, RateClass::SignIns),
        ] {
            assert_eq!(class(Method::GET, path), read, "{path}");
            assert_eq!(class(Method::POST, path), submitted, "{path}");
        }
    }

    #[test]
    fn every_page_has_one_row() {
        let all: Vec<_> = console::PAGES.iter().chain(routes::PAGES).collect();
        for page in &all {
            assert_eq!(all.iter().filter(|other| other.path == page.path).count(), 1, "{}", page.path);
            assert!(page.is_at(page.path) && !page.is_at(&format!("{}/more/than/this", page.path)), "{}", page.path);
        }
    }
    #[test]
    fn a_page_of_the_console_requires_no_less_than_its_operation() {
        for page in console::PAGES {
            let (own, operation) = (page.conditions, page.operation.rule().conditions);
            let address = own.include_address() || !operation.include_address();
            let factor = own.include_factor() || !operation.include_factor();
            assert!(own != Conditions::NoAccount && address && factor, "{}", page.path);
        }
    }
}
