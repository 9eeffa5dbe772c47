//! The pages as a side of the service: which requests they serve, the home page, and pages that show errors of the API.

use std::sync::Arc;

use actix_web::dev::ServiceRequest;
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, ResponseError as _};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::policy::Lane;
use steward_domain::usecases::{FormPost, Steward};
use steward_web::RateClass;
use steward_web::{CredentialSource, PageSide, Route, RouteTable};

use crate::error::{self, PageError};
use crate::form_post::form_post;
use crate::response::{AllowedOrigins, page_with};
use crate::{Pages, console, routes, views};

impl Pages {
    /// Creates the pages. `browser_cookie`: the name of the cookie that identifies a browser. `allow_private_webhooks`:
    /// whether webhooks and logout tokens may be sent to private networks.
    pub fn new(steward: Arc<Steward>, browser_cookie: &'static str, allow_private_webhooks: bool) -> Self {
        Self { steward, browser_cookie, allow_private_webhooks, console: console::PAGES }
    }
}

impl RouteTable for Pages {
    fn find(&self, request: &ServiceRequest) -> Option<Route> {
        // Without percent-encoding, as the router compares it.
        let (path, method) = (request.match_info().as_str(), request.method());
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
            operation: None,
            rate: page.map_or_else(rate_of_unknown, |page| page.rate_of(method)),
            lane: page.map_or(Lane::Interactive, |page| page.lane),
            credential: if is_below_console { CredentialSource::Cookie } else { CredentialSource::Header },
            is_opened: true,
        })
    }
}

impl PageSide for Pages {
    fn home_page(&self, request: HttpRequest) -> LocalBoxFuture<'static, HttpResponse> {
        async move { console::home_page(&request).await.unwrap_or_else(|error| error.error_response()) }.boxed_local()
    }

    fn form_post(&self, form: &FormPost) -> HttpResponse {
        form_post(form).unwrap_or_else(|error| PageError::from(error).error_response())
    }

    fn error_page(&self, status: StatusCode, message: &str) -> HttpResponse {
        let title = match status {
            StatusCode::NOT_FOUND => "Page not found",
            StatusCode::METHOD_NOT_ALLOWED => "There is no page at this address",
            status if status.is_server_error() => return error::page(status, "Something went wrong", message, None),
            status => return error::page(status, "The request failed", message, None),
        };
        let view = views::NoPage { title, message, accepts_sign_ups: self.steward.accounts.accepts_sign_ups() };
        let page = page_with(status, &view, &AllowedOrigins::default());
        page.unwrap_or_else(|error| PageError::from(error).error_response())
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
}
