//! Handlers of operations. Paths, rate limits, idempotency and the OpenAPI document are derived from the operations'
//! rows in `steward-api`; permissions and lanes from the table of operations in the domain, which has the same names.

use std::rc::Rc;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::middleware::from_fn;
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Responder, Route, web};
use futures_util::future::LocalBoxFuture;
use steward_api::{Idempotency, Operation, Row};
use steward_domain::kernel::policy;

use crate::error::ApiError;
use crate::extract::path::Ids;
use crate::idempotency;
use crate::serve::{Access, Call, Outcome, Reply, Served, open};

/// Declares which handlers serve operations: `Operation => handler`, or `Operation | Operation => handler` for
/// operations of the same form. A handler whose path, query or body is not that of the operation does not compile.
macro_rules! serve {
    ($($operation:ident $(| $same:ident)* => $handler:ident;)+) => {
        /// Returns the routes of these operations.
        pub(crate) fn routes() -> Vec<$crate::route::ApiRoute> {
            use $crate::route::ApiRoute;
            vec![$(
                ApiRoute::serve::<steward_api::$operation, steward_api::$operation, _, _, _>($handler),
                $(ApiRoute::serve::<steward_api::$same, steward_api::$operation, _, _, _>($handler),)*
            )+]
        }
    };
}

/// Declares which handlers serve operations, if their arguments are extractors: `Operation => handler`.
macro_rules! routes {
    ($($operation:ident => $handler:ident;)+) => {
        vec![$(
            $crate::route::ApiRoute::of(<steward_api::$operation as steward_api::Operation>::ROW, $handler)
        ),+]
    };
}

pub(crate) use {routes, serve};

/// Runs the handler of an operation.
type Run = Rc<dyn Fn(Rc<Served>, HttpRequest, Payload) -> LocalBoxFuture<'static, Result<HttpResponse, ApiError>>>;

/// An operation and its handler.
pub(crate) struct ApiRoute {
    pub path: &'static str,
    pub method: Method,
    /// `None` for a route that is not part of the OpenAPI document.
    pub row: Option<&'static Row>,
    /// `None` for routes about the service itself.
    pub operation: Option<policy::Operation>,
    pub handler: Route,
}

impl ApiRoute {
    /// The route of an operation. Its handler is that of another operation of the same form, or its own.
    pub(crate) fn serve<O, P, A, H, F>(handler: H) -> Self
    where
        O: Operation,
        P: Operation<
                Path = O::Path,
                Query = O::Query,
                Request = O::Request,
                Response = O::Response,
                Resource = O::Resource,
            > + 'static,
        P::Path: Ids,
        A: Access,
        H: Fn(Call<P, A>) -> F + Copy + 'static,
        F: Future<Output = Outcome<P>> + 'static,
    {
        Self::run_by(O::ROW, run(handler))
    }

    fn run_by(row: &'static Row, run: Run) -> Self {
        let served = Rc::new(Served::of(row));
        Self::of(row, move |request: HttpRequest, payload: web::Payload| {
            run(served.clone(), request, payload.into_inner())
        })
    }

    pub(crate) fn of<F, A>(row: &'static Row, handler: F) -> Self
    where
        F: Handler<A>,
        A: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let operation = policy::Operation::named(row.name);
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

/// The only code that is compiled for each handler.
fn run<P, A, H, F>(handler: H) -> Run
where
    P: Operation<Path: Ids> + 'static,
    A: Access,
    H: Fn(Call<P, A>) -> F + Copy + 'static,
    F: Future<Output = Outcome<P>> + 'static,
{
    Rc::new(move |served, request, mut payload| {
        Box::pin(async move {
            // What no one reads of the payload is dropped only after the handler is done.
            let opened = open::<A, P::Path>(served, request, &mut payload).await?;
            handler(Call::of(opened)).await.map(Reply::into_response)
        })
    })
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
