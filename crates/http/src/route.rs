//! Handlers of operations. Paths, rate limits, idempotency and the OpenAPI document are derived from the operations' rows in
//! `steward-api`; permissions and lanes from the table of operations in the domain, which has the same names.

use actix_web::http::Method;
use actix_web::middleware::from_fn;
use actix_web::{FromRequest, Handler, Responder, Route, web};
use steward_api::{Idempotency, Row};
use steward_domain::policy::Operation;

use crate::idempotency;

/// Declares which handlers serve operations: `Operation => handler`.
macro_rules! routes {
    ($($operation:ident => $handler:ident;)+) => {
        vec![$(
            $crate::route::ApiRoute::of(<steward_api::$operation as steward_api::Operation>::ROW, $handler)
        ),+]
    };
}

pub(crate) use routes;

/// An operation and its handler.
pub(crate) struct ApiRoute {
    pub path: &'static str,
    pub method: Method,
    /// `None` for a route that is not part of the OpenAPI document.
    pub row: Option<&'static Row>,
    /// `None` for routes about the service itself.
    pub operation: Option<Operation>,
    pub handler: Route,
}

impl ApiRoute {
    pub(crate) fn of<F, A>(row: &'static Row, handler: F) -> Self
    where
        F: Handler<A>,
        A: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let operation = Operation::named(row.name);
        let handler = match operation {
            Some(operation) if row.idempotency == Idempotency::Keyed => {
                let idempotent = from_fn(move |request, next| idempotency::run_once(operation, row, request, next));
                web::to(handler).wrap(idempotent).wrap(from_fn(steward_web::limit_time))
            }
            _ => web::to(handler).wrap(from_fn(steward_web::limit_time)),
        };
        Self { path: row.path, method: method(row.method), row: Some(row), operation, handler }
    }

    /// A GET route that is not part of the OpenAPI document.
    pub(crate) fn undocumented<F, A>(path: &'static str, handler: F) -> Self
    where
        F: Handler<A>,
        A: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let handler = web::to(handler).wrap(from_fn(steward_web::limit_time));
        Self { path, method: Method::GET, row: None, operation: None, handler }
    }
}

fn method(method: steward_api::Method) -> Method {
    use steward_api::Method as M;
    match method {
        M::Get => Method::GET,
        M::Post => Method::POST,
        M::Put => Method::PUT,
        M::Patch => Method::PATCH,
        M::Delete => Method::DELETE,
    }
}
