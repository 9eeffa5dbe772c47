//! The REST API as a side of the service: which requests it serves, and how it reports a rejection.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpRequest, HttpResponse, ResponseError as _};
use steward_api::{Fact, RateClass};
use steward_web::{CredentialSource, PageSide, Rejection, RestSide, Route};

use crate::dispatch;
use crate::error::ApiError;
use crate::error_page;

/// The start of the paths of health checks, which are not limited.
const HEALTH: &str = "/health/";

/// The REST API.
#[derive(Debug, Clone, Copy)]
pub struct Rest;

impl RestSide for Rest {
    fn find(&self, request: &ServiceRequest) -> Option<Route> {
        let path = request.match_info().as_str();
        let endpoint = dispatch::find(path);
        if endpoint.is_none() && !path.starts_with(HEALTH) {
            return None;
        }
        let unknown = Route::unknown(request.method());
        let unserved = if path.starts_with(HEALTH) { RateClass::Unlimited } else { unknown.rate };
        let served = endpoint.and_then(|endpoint| endpoint.method(request.method()));
        let (operation, row) = served.map_or((None, None), |served| (served.route.operation, served.route.row));
        Some(Route {
            path: endpoint.map(|endpoint| endpoint.path),
            operation,
            row,
            parameters: endpoint.map_or(&[], |endpoint| &endpoint.parameters),
            handler: served.map(|served| served.position),
            conditions: operation.map_or(unknown.conditions, |operation| operation.rule().conditions),
            rate: row.map_or(unserved, |row| row.rate),
            lane: operation.map_or(unknown.lane, |operation| operation.rule().lane),
            credential: credential_source(request, path),
            is_opened: operation.is_none() || row.is_some_and(|row| row.is(Fact::Opened)),
        })
    }

    fn rejection(&self, request: &HttpRequest, pages: Option<&dyn PageSide>, rejection: Rejection) -> HttpResponse {
        let error = ApiError::from(rejection);
        pages.map_or_else(|| error.error_response(), |pages| error_page::page(request, pages, &error))
    }
}

/// Returns where the credential of a request is. `/` is the home page of a browser, and an operation of the API for
/// everyone else.
fn credential_source(request: &ServiceRequest, path: &str) -> CredentialSource {
    let is_home = path == "/" && !request.headers().contains_key(AUTHORIZATION);
    if is_home { CredentialSource::Cookie } else { CredentialSource::Header }
}
