//! What is known about a request by its method and path, once and before any other work.

use actix_web::http::Method;
use steward_api::{RateClass, Row};
use steward_domain::kernel::policy::{Conditions, Lane, Operation};

/// What is known about a request by its method and path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The path as it is documented, with parameters like `{id}`, for logs, traces and metrics. `None` if nothing is
    /// mounted there.
    pub path: Option<&'static str>,
    /// The operation of the API that the request is. `None` for a page, which performs operations of its own.
    pub operation: Option<Operation>,
    /// The row of the operation in the contract. A page gets one when it begins to perform an operation.
    pub row: Option<&'static Row>,
    /// The names of the path's parameters by the index of their segment. The empty string before the first slash is
    /// segment 0. Empty for a page.
    pub parameters: &'static [(usize, &'static str)],
    /// The position of its handler in the list of those of the API.
    pub handler: Option<usize>,
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
            parameters: &[],
            handler: None,
            conditions: Conditions::All,
            rate: if is_read { RateClass::Reads } else { RateClass::SignIns },
            lane: Lane::Interactive,
            credential: CredentialSource::Header,
            is_opened: true,
        }
    }

    /// Returns the value of a parameter in the path of a request.
    pub fn parameter<'a>(&self, path: &'a str, name: &str) -> Option<&'a str> {
        let (segment, _) = self.parameters.iter().find(|(_, other)| *other == name)?;
        path.split('/').nth(*segment)
    }
}

impl Default for Route {
    fn default() -> Self {
        Self::unknown(&Method::GET)
    }
}
