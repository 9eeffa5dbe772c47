//! Assigns each request, and the response that it streams, to a lane and a tenant, by which the store schedules it.
//! Also limits the time of each request.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use actix_web::middleware::Next;
use actix_web::rt::time::timeout;
use actix_web::web::Bytes;
use actix_web::{Error as ActixError, ResponseError as _, web};
use anyhow::anyhow;
use steward_domain::error::Error;
use steward_domain::policy::Lane;
use steward_domain::work::{Scope, Tenant, Work};

use crate::Api;
use crate::endpoint::operation_of;
use crate::error::ApiError;
use crate::extract::upload;

/// Time that a request may take in addition to the time limit of its lane.
const MARGIN: Duration = Duration::from_millis(400);

/// Middleware that runs a request, of the API or of a page, as work of its operation's lane and its caller's tenant.
///
/// # Errors
///
/// Returns the errors of the inner service.
pub async fn scheduled<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<Scheduled<B>>, ActixError> {
    let lane = operation_of(&request).map_or(Lane::Interactive, |operation| operation.rule().lane);
    let scope = Scope::of_request(Work { lane, tenant: tenant_of(&request) });
    let response = scope.run(next.call(request)).await?;
    Ok(response.map_body(|_, body| {
        scope.remove_time_limit();
        Scheduled { scope, body: Box::pin(body) }
    }))
}

/// A response body that is produced in the scope of its request.
pub struct Scheduled<B> {
    scope: Scope,
    body: Pin<Box<B>>,
}

impl<B: MessageBody> MessageBody for Scheduled<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, B::Error>>> {
        let this = self.get_mut();
        this.scope.enter(|| this.body.as_mut().poll_next(context))
    }
}

/// Middleware that cancels a request that takes too long, with everything that it waits for, and returns 503.
pub(crate) async fn limit_time<B: MessageBody>(
    lane: Lane,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B, BoxBody>>, ActixError> {
    let has_body = [CONTENT_LENGTH, TRANSFER_ENCODING].iter().any(|name| request.headers().contains_key(name));
    let arrival = if has_body { upload::READ_TIMEOUT } else { Duration::ZERO };
    // A request with a query may return a long list.
    let lane = if lane == Lane::Interactive && request.query_string().is_empty() { lane } else { Lane::Heavy };
    let limit = lane.time_limit() + MARGIN + arrival;

    let timed_out = request.request().clone();
    match timeout(limit, next.call(request)).await {
        Ok(response) => Ok(response?.map_into_left_body()),
        Err(_) => {
            let cause = anyhow!("The request did not complete within {limit:?}.");
            let response = ApiError::from(Error::Unavailable(cause)).error_response();
            Ok(ServiceResponse::new(timed_out, response).map_into_right_body())
        }
    }
}

/// Returns the tenant of the request's credential if that was valid recently, else the tenant of its address.
fn tenant_of(request: &ServiceRequest) -> Tenant {
    let api = request.app_data::<web::Data<Api>>();
    api.map_or(Tenant::Service, |api| api.credentials.tenant(request))
}
