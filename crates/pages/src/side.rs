//! The pages as a side of the service: which requests they serve, the home page, and pages that show errors of the API.

use actix_web::dev::ServiceRequest;
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, ResponseError as _};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::policy::{Lane, RateClass};
use steward_web::{CredentialSource, PageSide, Route, RouteTable};

use crate::error::{self, PageError};
use crate::response::{AllowedOrigins, page_with};
use crate::{Pages, console, views};

/// Last segments of the paths of costly pages: logs, exports, imports, comparisons, schema changes and sizes.
const COSTLY_PAGES: [&str; 9] =
    ["audit", "chain", "compare", "export", "file", "import", "publish", "rollback", "sizes"];

impl RouteTable for Pages {
    fn find(&self, request: &ServiceRequest) -> Option<Route> {
        // Without percent-encoding, as the router compares it.
        let path = request.match_info().as_str();
        let is_of_console = path == "/console" || path.starts_with("/console/");
        if !is_of_console {
            return None;
        }
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let rate = match *request.method() {
            _ if COSTLY_PAGES.contains(&last) => RateClass::Costly,
            Method::GET | Method::HEAD => RateClass::Reads,
            _ => RateClass::Writes,
        };
        let (lane, credential) = (Lane::Interactive, CredentialSource::Cookie);
        Some(Route { path: None, operation: None, rate, lane, credential, is_opened: true })
    }
}

impl PageSide for Pages {
    fn home_page(&self, request: HttpRequest) -> LocalBoxFuture<'static, HttpResponse> {
        async move { console::home(&request).await.unwrap_or_else(|error| error.error_response()) }.boxed_local()
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
