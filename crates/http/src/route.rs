//! Declaration of operations, next to their handlers. Routing, rate limits, lanes, idempotency and the OpenAPI document
//! are derived from the declaration and from the operation's rule in the domain.

use actix_web::http::Method;
use actix_web::middleware::from_fn;
use actix_web::{FromRequest, Handler, Responder, Route, web};
use steward_domain::error::ErrorCode;
use steward_domain::policy::{IdempotencyRule, Operation};
use utoipa::__dev::{SchemaReferences, Tags};
use utoipa::openapi::path;
use utoipa::openapi::{RefOr, Schema};

use crate::idempotency;

/// Declares operations of the API: `Operation => handler`, followed by the error codes that only this operation
/// returns. Each handler has a `#[utoipa::path]` attribute, which gives its path, method and description.
macro_rules! operations {
    ($($operation:ident => $handler:ident $([$($code:ident),+])?;)+) => {
        pastey::paste! {
            vec![$(
                $crate::route::ApiRoute::of::<[<__path_ $handler>], _, _>(
                    Some(steward_domain::policy::Operation::$operation),
                    &[$($(steward_domain::error::ErrorCode::$code),+)?],
                    $handler,
                )
            ),+]
        }
    };
}

/// Declares routes about the service itself, which have no rule in the domain: health, discovery, reference.
macro_rules! service_routes {
    ($($handler:ident;)+) => {
        pastey::paste! {
            vec![$($crate::route::ApiRoute::of::<[<__path_ $handler>], _, _>(None, &[], $handler)),+]
        }
    };
}

pub(crate) use {operations, service_routes};

/// A method of a path, its handler and its description.
pub(crate) struct ApiRoute {
    pub method: Method,
    /// The path, with parameters like `{id}`.
    pub path: String,
    /// `None` for routes about the service itself.
    pub operation: Option<Operation>,
    /// The error codes that only this operation returns.
    pub codes: &'static [ErrorCode],
    /// `None` for routes that are not part of the OpenAPI document.
    pub description: Option<fn() -> Description>,
    /// Replaces the tag of the description.
    pub tag: Option<&'static str>,
    pub handler: Route,
}

/// The description that the `#[utoipa::path]` attribute of a handler generates.
pub(crate) struct Description {
    pub operation: path::Operation,
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

/// A prefix under which a set of operations is mounted. The same handlers serve teams and projects.
#[derive(Clone, Copy)]
pub(crate) struct Mount {
    /// Precedes the path of each operation.
    pub prefix: &'static str,
    /// The tag of the operations.
    pub tag: &'static str,
}

impl ApiRoute {
    pub(crate) fn of<P, F, A>(operation: Option<Operation>, codes: &'static [ErrorCode], handler: F) -> Self
    where
        P: utoipa::Path + SchemaReferences + Tags<'static>,
        F: Handler<A>,
        A: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        Self {
            method: P::methods().first().map_or(Method::GET, method),
            path: P::path(),
            operation,
            codes,
            description: Some(Description::of::<P>),
            tag: None,
            handler: guarded(operation, handler),
        }
    }

    /// A GET route that is not part of the OpenAPI document.
    pub(crate) fn undocumented<F, A>(path: &str, handler: F) -> Self
    where
        F: Handler<A>,
        A: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        Self {
            method: Method::GET,
            path: path.to_owned(),
            operation: None,
            codes: &[],
            description: None,
            tag: None,
            handler: guarded(None, handler),
        }
    }
}

impl Description {
    fn of<P: utoipa::Path + SchemaReferences + Tags<'static>>() -> Self {
        let mut schemas = Vec::new();
        P::schemas(&mut schemas);
        let mut operation = P::operation();
        operation.tags = Some(P::tags().into_iter().map(str::to_owned).collect());
        Self { operation, schemas }
    }
}

impl Mount {
    /// Mount for a project of the operations that teams and projects share.
    pub(crate) const PROJECT: Self = Self { prefix: "/project/{id}", tag: "projects" };
    /// Mount for a team of the operations that teams and projects share.
    pub(crate) const TEAM: Self = Self { prefix: "/team/{team_id}", tag: "teams" };

    /// Returns the routes with the prefix and the tag.
    pub(crate) fn routes(self, mut routes: Vec<ApiRoute>) -> Vec<ApiRoute> {
        for route in &mut routes {
            route.path.insert_str(0, self.prefix);
            route.tag = Some(self.tag);
        }
        routes
    }
}

/// Wraps a handler in the middleware that its operation needs.
fn guarded<F, A>(operation: Option<Operation>, handler: F) -> Route
where
    F: Handler<A>,
    A: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    let rule = operation.map(Operation::rule);
    let timed = from_fn(steward_web::limit_time);
    match rule {
        Some(rule) if rule.idempotency == IdempotencyRule::Keyed => {
            let idempotent = from_fn(move |request, next| idempotency::run_once(rule.operation, request, next));
            web::to(handler).wrap(idempotent).wrap(timed)
        }
        _ => web::to(handler).wrap(timed),
    }
}

fn method(method: &path::HttpMethod) -> Method {
    use path::HttpMethod as H;
    match method {
        H::Get => Method::GET,
        H::Post => Method::POST,
        H::Put => Method::PUT,
        H::Delete => Method::DELETE,
        H::Options => Method::OPTIONS,
        H::Head => Method::HEAD,
        H::Patch => Method::PATCH,
        H::Trace => Method::TRACE,
    }
}
