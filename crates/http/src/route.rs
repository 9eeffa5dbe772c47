//! Handlers of operations. Paths, rate limits, idempotency and the OpenAPI document are derived from the operations'
//! rows in `steward-api`; permissions and lanes from the table of operations in the domain, which has the same names.

use std::rc::Rc;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::middleware::from_fn;
use actix_web::{HttpRequest, HttpResponse, Route, web};
use futures_util::future::LocalBoxFuture;
use steward_api::{Idempotency, Operation, Row};
use steward_domain::kernel::policy;

use crate::endpoint::EndpointRoute;
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

pub(crate) use serve;

/// Runs the handler of an operation.
type Run = Rc<dyn Fn(Rc<Served>, HttpRequest, Payload) -> LocalBoxFuture<'static, Result<HttpResponse, ApiError>>>;

/// An operation and its handler.
pub(crate) struct ApiRoute {
    pub endpoint: EndpointRoute,
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
        Self::of(O::ROW, run(handler))
    }

    fn of(row: &'static Row, run: Run) -> Self {
        let (operation, served) = (policy::Operation::named(row.name), Rc::new(Served::of(row)));
        let handler = web::to(move |request: HttpRequest, payload: web::Payload| {
            run(served.clone(), request, payload.into_inner())
        });
        let handler = match operation {
            Some(operation) if row.idempotency == Idempotency::Keyed => {
                let idempotent = from_fn(move |request, next| idempotency::run_once(operation, row, request, next));
                handler.wrap(idempotent)
            }
            _ => handler,
        };
        let endpoint = EndpointRoute { path: row.path, method: method(row.method), operation, row: Some(row) };
        Self { endpoint, handler }
    }

    /// A GET route that is not part of the OpenAPI document.
    pub(crate) fn undocumented(path: &'static str, handler: Route) -> Self {
        Self { endpoint: EndpointRoute { path, method: Method::GET, operation: None, row: None }, handler }
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
