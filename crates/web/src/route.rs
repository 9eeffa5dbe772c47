//! What is known about a request by its method and path, once and before any other work.

use actix_web::HttpMessage;
use actix_web::http::Method;
use steward_api::{RateClass, Row};
use steward_domain::kernel::policy::{Conditions, Lane, Operation};

/// What is known about a request by its method and path. It is stored in the request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The path as it is documented, with parameters like `{id}`, for logs, traces and metrics. `None` if nothing is
    /// mounted there.
    pub path: Option<&'static str>,
    /// The operation of the API that the request is. `None` for a page, which performs operations of its own.
    pub operation: Option<Operation>,
    /// The row of the operation in the contract.
    pub row: Option<&'static Row>,
    /// The conditions that the account of the caller must meet, as the row of the operation or of the page states them.
    /// All, if there is no row.
    pub conditions: Conditions,
    /// The rate limit that the request counts against.
    pub rate: RateClass,
    /// The lane that the request is work of.
    pub lane: Lane,
    /// Where the caller's credential is.
    pub credential: CredentialSource,
    /// Whether browsers open it, so that a rejection is shown as a page to those who accept HTML.
    pub is_opened: bool,
}

/// Where the credential of a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialSource {
    /// In the Authorization header.
    Header,
    /// In the cookie of the browser session. The Authorization header is ignored.
    Cookie,
}

impl Route {
    /// Returns the route of a path at which nothing is mounted.
    pub fn unknown(method: &Method) -> Self {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        Self {
            path: None,
            operation: None,
            row: None,
            conditions: Conditions::All,
            rate: if is_read { RateClass::Reads } else { RateClass::SignIns },
            lane: Lane::Interactive,
            credential: CredentialSource::Header,
            is_opened: true,
        }
    }
}

/// Returns the route that [`crate::frame`] found for a request. `None` outside of it.
pub fn route_of(request: &impl HttpMessage) -> Option<Route> {
    request.extensions().get::<Route>().copied()
}

/// Returns the conditions that the account of the caller of a request must meet.
pub fn conditions_of(request: &impl HttpMessage) -> Conditions {
    route_of(request).map_or(Conditions::All, |route| route.conditions)
}
