//! Hands each request to the handler of its endpoint and method.

use std::future::ready;

use actix_web::dev::{Service, ServiceFactory, ServiceRequest, ServiceResponse, always_ready};
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE, ALLOW,
};
use actix_web::{Error, HttpResponse, ResponseError as _, Route};
use futures_util::future::{FutureExt as _, LocalBoxFuture};

use crate::endpoint::{endpoint_of, served_as};
use crate::error::{ApiError, RequestError};
use crate::routes;

/// Makes the handlers of one worker.
pub(crate) struct Dispatch;

type RouteService = <Route as ServiceFactory<ServiceRequest>>::Service;

/// The handlers of one worker.
pub(crate) struct Dispatcher {
    /// By the index of the endpoint.
    handlers: Vec<Vec<(Method, RouteService)>>,
}

impl ServiceFactory<ServiceRequest> for Dispatch {
    type Response = ServiceResponse;
    type Error = Error;
    type Config = ();
    type Service = Dispatcher;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<Dispatcher, ()>>;

    fn new_service(&self, (): ()) -> Self::Future {
        async {
            let mut handlers = Vec::new();
            for address in routes::all() {
                let mut of_address = Vec::new();
                for (method, route) in address.handlers {
                    of_address.push((method, route.new_service(()).await?));
                }
                handlers.push(of_address);
            }
            Ok(Dispatcher { handlers })
        }
        .boxed_local()
    }
}

impl Service<ServiceRequest> for Dispatcher {
    type Response = ServiceResponse;
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<ServiceResponse, Error>>;

    always_ready!();

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let Some(endpoint) = endpoint_of(&request) else {
            let refusal = ApiError::from(RequestError::UnknownRoute).error_response();
            return ready(Ok(request.into_response(refusal))).boxed_local();
        };
        let method = served_as(request.method());
        let mut handlers = self.handlers.get(endpoint.index).into_iter().flatten();
        match handlers.find(|(other, _)| other == method) {
            Some((_, handler)) => handler.call(request),
            None => {
                let response = other_method(method, &endpoint.allowed);
                ready(Ok(request.into_response(response))).boxed_local()
            }
        }
    }
}

/// Answers a method that an endpoint has no handler for: OPTIONS (contract 1.11), and any other with 405 (1.4).
fn other_method(method: &Method, allowed: &str) -> HttpResponse {
    if method != Method::OPTIONS {
        return ApiError::from(RequestError::MethodNotAllowed { allowed: allowed.to_owned() }).error_response();
    }
    HttpResponse::NoContent()
        .insert_header((ALLOW, allowed))
        .insert_header((ACCESS_CONTROL_ALLOW_METHODS, allowed))
        .insert_header((
            ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id",
        ))
        .insert_header((ACCESS_CONTROL_MAX_AGE, "7200"))
        .finish()
}
